//! An account fills the disk with samples, which are free: its quota limits it, and nobody else.

use sea_orm::FromQueryResult;
use serde_json::{Value, json};

use crate::harness::{Answer, Db, Server, Upstream, inv, on_both};

/// The quota in these tests.
const QUOTA: usize = 200_000;

async fn judge(server: &Server, key: &str) -> String {
    let input =
        json!({ "name": "Full", "instructions": { "team": ["billing", "sales"] }, "storeContent": true });
    server.create_judge(key, input).await
}

async fn import(server: &Server, key: &str, judge: &str, state: &str, once: Option<&str>) -> Answer {
    let path = format!("/api/v1/judges/{judge}/dataset");
    let line = json!({ "state": state, "ground_truth": { "team": "sales" } }).to_string();
    let request = server.post(&path).key(key).body("application/x-ndjson", line);
    let request = if let Some(once) = once { request.idempotent(once) } else { request };
    request.send().await
}

async fn ask(server: &Server, key: &str, judge: &str, state: &str) -> Value {
    let path = format!("/api/v1/judges/{judge}/inference");
    server.post(&path).key(key).json(json!({ "state": state })).send().await.ok()
}

/// Asserts that the counted bytes are those in the tables; returns the bytes of all accounts.
async fn counted(db: &Db) -> i64 {
    #[derive(FromQueryResult)]
    struct StoredBytes {
        counted: i64,
        actual: i64,
    }
    let actual = "SELECT 512 + octet_length(state) + COALESCE(octet_length(instructions), 0) + COALESCE((SELECT \
                 SUM(COALESCE(octet_length(answer), 0) + COALESCE(octet_length(probabilities), 0)) FROM sample_answer \
                 WHERE sample_seq = sample.seq), 0) + COALESCE((SELECT SUM(256 + COALESCE(octet_length(note), 0)) FROM \
                 label WHERE sample_seq = sample.seq), 0) AS bytes FROM sample";
    let sql = format!(
        "SELECT CAST(COALESCE((SELECT SUM(bytes) FROM storage), 0) AS BIGINT) AS counted, \
         CAST(COALESCE((SELECT SUM(bytes) FROM ({actual}) s), 0) AS BIGINT) AS actual"
    );
    let found = inv::rows::<StoredBytes>(db, &sql).await.remove(0);
    assert_eq!(found.counted, found.actual);
    found.counted
}

async fn a_full_account_cannot_import_and_pays_for_unrecorded_answers(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).env("GAVEL_ACCOUNT_BYTES", QUOTA);
    let server = server.start().await;
    let account = server.account(100).await;
    let other = server.account(100).await;
    let key = db.scoped_key(&account, "infer,manage,read").await;
    let others = db.scoped_key(&other, "infer,manage,read").await;
    let mine = judge(&server, &key).await;
    let theirs = judge(&server, &others).await;

    import(&server, &key, &mine, &"a".repeat(QUOTA / 2), None).await.ok();
    let before = counted(&db).await;
    let refused = import(&server, &key, &mine, &"b".repeat(QUOTA / 2), None).await;
    let message = refused.fails(409, "CONFLICT");
    for figure in [before.to_string(), QUOTA.to_string(), "account_bytes".to_owned()] {
        assert!(message.contains(&figure), "{message} does not mention {figure}");
    }
    assert_eq!(counted(&db).await, before, "a file is imported completely or not at all");
    import(&server, &others, &theirs, &"b".repeat(QUOTA / 2), None).await.ok();

    // Paid answers continue. They are recorded until the quota is used up.
    assert_eq!(ask(&server, &key, &mine, &"c".repeat(QUOTA / 2)).await["logged"], true);
    let unrecorded = ask(&server, &key, &mine, "one more").await;
    assert_eq!((&unrecorded["logged"], &unrecorded["credits_deducted"]), (&json!(false), &json!(0.5)));
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
    assert_eq!(ask(&server, &others, &theirs, "theirs").await["logged"], true);

    let purge = "mutation($input: PurgeSamplesInput!) { purgeSamples(input: $input) { count } }";
    let input = json!({ "input": { "judgeId": mine, "filter": {} } });
    let purged = server.graphql(purge, input).key(&key).send().await.data();
    assert_eq!(purged["purgeSamples"]["count"], 2);
    counted(&db).await;
    assert_eq!(ask(&server, &key, &mine, "there is room again").await["logged"], true);
    import(&server, &key, &mine, &"d".repeat(QUOTA / 2), None).await.ok();
    counted(&db).await;
    db.cli(&["account", "erase", "--account", &account.id, "--confirm", &account.email]).await;
    counted(&db).await;
}

async fn an_import_with_an_idempotency_key_runs_once(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "manage,read").await;
    let judge = judge(&server, &key).await;

    let answers = futures_util::future::join_all(
        (0..4).map(|_| import(&server, &key, &judge, "a state", Some("file-1"))),
    )
    .await;
    for answer in answers {
        let counts = answer.ok();
        assert_eq!((&counts["imported"], &counts["duplicates"]), (&json!(1), &json!(0)), "{counts}");
    }
    let other = import(&server, &key, &judge, "another state", Some("file-1")).await;
    other.fails(422, "IDEMPOTENCY_MISMATCH");
    // A refused file leaves the key free.
    let path = format!("/api/v1/judges/{judge}/dataset");
    let wrong = server.post(&path).key(&key).body("application/x-ndjson", "{}").idempotent("file-2");
    wrong.send().await.fails(422, "VALIDATION_FAILED");
    assert_eq!(import(&server, &key, &judge, "a state", Some("file-2")).await.ok()["duplicates"], 1);
}

async fn the_history_of_ground_truths_counts_towards_the_quota(db: Db) {
    let server = Server::with(&db).env("GAVEL_ACCOUNT_BYTES", 4_000).start().await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "manage,read").await;
    let judge = judge(&server, &key).await;
    import(&server, &key, &judge, "a short state", None).await.ok();
    let list = "query($id: ID!) { judge(id: $id) { samples { nodes { id } } } }";
    let found = server.ask(&key, list, json!({ "id": judge })).await;
    let sample = &found["judge"]["samples"]["nodes"][0]["id"];
    let query = "mutation($input: ReclassifySampleInput!) { payload: reclassifySample(input: $input) { \
        changeId userErrors { code message } } }";
    let mut said = Vec::new();
    for value in ["billing", "sales"].iter().cycle().take(20) {
        let input = json!({ "input": { "sampleId": sample, "key": "team", "value": value } });
        let payload = server.ask(&key, query, input).await["payload"].clone();
        let refused = payload["userErrors"][0].clone();
        if !refused.is_null() {
            assert_eq!(refused["code"], "CONFLICT");
            assert!(refused["message"].as_str().unwrap().contains("account_bytes"), "{refused}");
            break;
        }
        said.push(payload);
        counted(&db).await;
    }
    assert!((8..15).contains(&said.len()), "{said:?}");
    let purge = "mutation($input: PurgeSamplesInput!) { purgeSamples(input: $input) { count } }";
    server.ask(&key, purge, json!({ "input": { "judgeId": judge, "filter": {} } })).await;
    assert_eq!(counted(&db).await, 0);
}

on_both!(
    the_history_of_ground_truths_counts_towards_the_quota,
    a_full_account_cannot_import_and_pays_for_unrecorded_answers,
    an_import_with_an_idempotency_key_runs_once,
);
