//! `Idempotency-Key`: the same request sent twice is charged once and answered twice.

use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{
    Account, Answer, Db, Server, Upstream, eventually, inv, on_both, on_postgres, on_sqlite,
};

const SINGLE: &str = "/api/v1/moderate/text";
const BATCH: &str = "/api/v1/moderate/text/batch";

/// Asserts that the second answer is a replay of the first, byte for byte.
#[track_caller]
fn is_replay(first: &Answer, second: &Answer) {
    assert_eq!((first.status, second.status), (200, 200), "{} {}", first.text, second.text);
    assert_eq!(first.text, second.text);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
}

async fn a_repeated_request_is_answered_again_and_charged_once(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let body = json!({ "content": "pay for me once", "explain": true });
    let single = server.post(SINGLE).key(&account.key).idempotent("order-1").json(body.clone());
    let first = single.send().await;
    assert_eq!((first.remaining(), first.header("idempotent-replayed")), (9_500, None));
    server.moderate(&account.key, "something else meanwhile").send().await.ok();
    for _ in 0..3 {
        let again = server.post(SINGLE).key(&account.key).idempotent("order-1").json(body.clone());
        is_replay(&first, &again.send().await);
    }
    let body = json!({ "messages": [{ "content": "and me" }, { "content": "and me" }] });
    let first = server.post(BATCH).key(&account.key).idempotent("order-2").json(body.clone()).send().await;
    is_replay(&first, &server.post(BATCH).key(&account.key).idempotent("order-2").json(body).send().await);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 3);
    assert_eq!(inv::balance(&db, &account.id).await, 8_000);
}

async fn equivalent_requests_count_as_the_same(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let first = r#"{"content":"same words","mentions_count":2}"#;
    let first = server.post(SINGLE).key(&account.key).idempotent("k").json_text(first).send().await;
    for body in [
        "{\n  \"mentions_count\": 2,\n  \"content\": \"same words\"\n}",
        r#"{"content":"\u0073ame words","mentions_count":2}"#,
        r#"{"content":"same words","mentions_count":2,"author":"user#0001","has_attachments":false}"#,
        r#"{"content":"same words","mentions_count":2,"mode":"hybrid","explain":false}"#,
        r#"{"content":"same words","mentions_count":2,"of no meaning":[1]}"#,
    ] {
        is_replay(
            &first,
            &server.post(SINGLE).key(&account.key).idempotent("k").json_text(body).send().await,
        );
    }
    let (_, second_key) = db.key(&account, &[]).await;
    let body = json!({ "content": "same words", "mentions_count": 2 });
    let other_way_in = server.post(SINGLE).header("x-api-key", second_key).idempotent("k").json(body);
    is_replay(&first, &other_way_in.send().await);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

/// Asks under one key.
async fn infer(server: &Server, account: &Account, body: &'static str) -> Answer {
    server.post("/api/v1/inference").key(&account.key).idempotent("k").json_text(body).send().await
}

async fn the_order_of_members_and_defaults_do_not_matter(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(10).await;
    let first = r#"{"state":{"a":1,"b":[2]},"instructions":{"q":{"type":"noul","criteria":{"true":"x","false":"y"}}},
        "parameters":{"one":1,"two":2}}"#;
    let first = infer(&server, &account, first).await;
    for body in [
        r#"{"parameters":{"two":2.0,"one":1},"state":{"b":[2],"a":1},
            "instructions":{"q":{"criteria":{"false":"y","true":"x"},"type":"noul"}}}"#,
        r#"{"state":{"a":1,"b":[2]},"instructions":{"q":{"type":"noul","criteria":{"true":"x","false":"y"}}},
            "parameters":{"temperature":1,"one":1,"two":2,"abstain_below":null},"model":"auto"}"#,
    ] {
        is_replay(&first, &infer(&server, &account, body).await);
    }
    let other = r#"{"state":{"a":1,"b":[3]},"instructions":{"q":{"type":"noul","criteria":{"true":"x","false":"y"}}},
        "parameters":{"one":1,"two":2}}"#;
    infer(&server, &account, other).await.fails(422, "IDEMPOTENCY_MISMATCH");
    assert_eq!(upstream.asked().len(), 1);
}

async fn another_request_with_a_used_key_is_refused(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let first = server.moderate(&account.key, "the first").idempotent("k").send().await;
    for (path, body) in [
        (SINGLE, json!({ "content": "the second" })),
        (SINGLE, json!({ "content": "the first", "mentions_count": 1 })),
        (SINGLE, json!({ "content": "the first", "mode": "native" })),
        (SINGLE, json!({ "content": "the first", "explain": true })),
        (BATCH, json!({ "messages": [{ "content": "the first" }] })),
    ] {
        let other = server.post(path).key(&account.key).idempotent("k").json(body).send().await;
        other.fails(422, "IDEMPOTENCY_MISMATCH");
    }
    is_replay(&first, &server.moderate(&account.key, "the first").idempotent("k").send().await);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn twenty_at_once(servers: Vec<Server>) {
    let account = servers[0].account(100).await;
    let servers = Arc::new(servers);
    let mut tasks = JoinSet::new();
    for n in 0..20 {
        let servers = servers.clone();
        let key = account.key.clone();
        tasks.spawn(async move {
            let server = &servers[n % servers.len()];
            server.moderate(&key, "all the same").idempotent("twenty").send().await
        });
    }
    let answers = tasks.join_all().await;
    let fresh: Vec<_> =
        answers.iter().filter(|answer| answer.header("idempotent-replayed").is_none()).collect();
    assert_eq!(fresh.len(), 1, "one does the work");
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.text == fresh[0].text));
    assert_eq!(inv::charges(&servers[0].db, &account.id).await.len(), 1);
}

async fn twenty_concurrent_duplicates_are_charged_once_and_answered_alike(db: Db) {
    twenty_at_once(vec![Server::start(&db).await]).await;
}

async fn duplicates_on_two_replicas_are_charged_once_and_answered_alike(db: Db) {
    let server = Server::start(&db).await;
    let replica = server.replica().await;
    twenty_at_once(vec![server, replica]).await;
}

async fn a_failed_request_can_be_retried_with_its_key(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(0).await;
    for (content, status, code) in [
        (" ", 422, "VALIDATION_FAILED"),
        ("too poor", 402, "INSUFFICIENT_CREDITS"),
        ("another one, as poor", 402, "INSUFFICIENT_CREDITS"),
    ] {
        server.moderate(&account.key, content).idempotent("k").send().await.fails(status, code);
    }
    server.cli(&["credits", "grant", "--account", &account.id, "--amount", "0.5"]).await;
    let paid = server.moderate(&account.key, "rich at last").idempotent("k").send().await;
    assert_eq!((paid.remaining(), paid.header("idempotent-replayed")), (0, None));
    // A replay needs no credits.
    is_replay(&paid, &server.moderate(&account.key, "rich at last").idempotent("k").send().await);
    let other = server.moderate(&account.key, "but not this").idempotent("k").send().await;
    other.fails(422, "IDEMPOTENCY_MISMATCH");
}

async fn accounts_do_not_share_their_keys(db: Db) {
    let server = Server::start(&db).await;
    for account in [server.account(1).await, server.account(1).await] {
        let answer = server.moderate(&account.key, "the same for both").idempotent("k").send().await;
        assert_eq!((answer.remaining(), answer.header("idempotent-replayed")), (500, None));
    }
}

async fn malformed_keys_are_refused(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;

    let long = "k".repeat(256);
    for wrong in ["", "two words", long.as_str(), "schlüssel", "tab\there"] {
        let answer = server.moderate(&account.key, "hello").header("idempotency-key", wrong).send().await;
        answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), "Idempotency-Key");
    }
    let binary = server.moderate(&account.key, "hello").header("idempotency-key", b"\xff\xfe").send().await;
    binary.fails(422, "VALIDATION_FAILED");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 0);
    for right in ["k", &long[1..], "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"] {
        server.moderate(&account.key, "hello").header("idempotency-key", right).send().await.ok();
    }
}

async fn an_answer_is_remembered_across_a_crash(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(10).await;
    let first = server.moderate(&account.key, "remember me").idempotent("k").send().await;
    server.kill9();
    server.restart().await;
    is_replay(&first, &server.moderate(&account.key, "remember me").idempotent("k").send().await);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn answers_are_kept_for_a_day(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(10).await;
    let old = server.moderate(&account.key, "hello").idempotent("old").send().await;
    let recent = server.moderate(&account.key, "hello").idempotent("recent").send().await;
    age(&db, "old", 25).await;
    age(&db, "recent", 23).await;
    // A worker removes old answers every ten minutes.
    db.execute("UPDATE schedule SET due_at = 0").await;
    server.restart().await;
    eventually("the old answer is gone", async || (keys(&db).await == ["recent"]).then_some(())).await;
    is_replay(&recent, &server.moderate(&account.key, "hello").idempotent("recent").send().await);
    let anew = server.moderate(&account.key, "hello").idempotent("old").send().await;
    assert_eq!(anew.header("idempotent-replayed"), None);
    assert_ne!(anew.body["id"], old.body["id"]);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 3);
}

/// Makes a stored answer this many hours old.
async fn age(db: &Db, key: &str, hours: u32) {
    let then = if db.is_sqlite() {
        format!("strftime('%Y-%m-%dT%H:%M:%f+00:00', created_at, '-{hours} hours')")
    } else {
        format!("created_at - interval '{hours} hours'")
    };
    let sql = format!("UPDATE idempotency SET created_at = {then} WHERE key = '{key}'");
    assert_eq!(db.execute(&sql).await, 1);
}

async fn keys(db: &Db) -> Vec<String> {
    #[derive(sea_orm::FromQueryResult)]
    struct KeyRow {
        key: String,
    }
    inv::rows::<KeyRow>(db, "SELECT key FROM idempotency ORDER BY key")
        .await
        .into_iter()
        .map(|row| row.key)
        .collect()
}

on_both!(
    answers_are_kept_for_a_day,
    a_repeated_request_is_answered_again_and_charged_once,
    another_request_with_a_used_key_is_refused,
    twenty_concurrent_duplicates_are_charged_once_and_answered_alike,
    a_failed_request_can_be_retried_with_its_key,
    accounts_do_not_share_their_keys,
    an_answer_is_remembered_across_a_crash,
);
on_postgres!(duplicates_on_two_replicas_are_charged_once_and_answered_alike);
on_sqlite!(
    equivalent_requests_count_as_the_same,
    the_order_of_members_and_defaults_do_not_matter,
    malformed_keys_are_refused,
);
