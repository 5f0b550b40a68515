//! `Idempotency-Key`: the same request sent twice is charged once and answered twice.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Answer, Db, Server, eventually, inv, on_both, on_postgres, on_sqlite};

const SINGLE: &str = "/api/v1/moderate/text";
const BATCH: &str = "/api/v1/moderate/text/batch";

/// The second answer is the first one again, to the byte, and says so.
#[track_caller]
fn is_replay(first: &Answer, second: &Answer) {
    assert_eq!((first.status, second.status), (200, 200), "{} {}", first.text, second.text);
    assert_eq!(first.text, second.text);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
}

async fn the_same_request_sent_again_is_answered_again_and_charged_once(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let body = json!({ "content": "pay for me once", "explain": true });
    let single = || server.post(SINGLE).key(&account.key).idempotent("order-1").json(body.clone()).send();
    let first = single().await;
    assert_eq!((first.remaining(), first.header("idempotent-replayed")), (9_500, None));
    server.moderate(&account.key, "something else meanwhile").send().await.ok();
    for _ in 0..3 {
        is_replay(&first, &single().await);
    }
    let body = json!({ "messages": [{ "content": "and me" }, { "content": "and me" }] });
    let batch = || server.post(BATCH).key(&account.key).idempotent("order-2").json(body.clone()).send();
    let first = batch().await;
    is_replay(&first, &batch().await);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 3);
    assert_eq!(inv::balance(&db, &account.id).await, 8_000);
}

async fn it_does_not_matter_how_the_request_is_written(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let send =
        |body: &str| server.post(SINGLE).key(&account.key).idempotent("k").json_text(body.to_owned()).send();
    let first = send(r#"{"content":"same words","mentions_count":2}"#).await;
    for body in [
        "{\n  \"mentions_count\": 2,\n  \"content\": \"same words\"\n}",
        r#"{"content":"\u0073ame words","mentions_count":2}"#,
        r#"{"content":"same words","mentions_count":2,"author":"user#0001","has_attachments":false}"#,
        r#"{"content":"same words","mentions_count":2,"mode":"hybrid","explain":false}"#,
        r#"{"content":"same words","mentions_count":2,"of no meaning":[1]}"#,
    ] {
        is_replay(&first, &send(body).await);
    }
    let (_, second_key) = db.key(&account, &[]).await;
    let body = json!({ "content": "same words", "mentions_count": 2 });
    let other_way_in = server.post(SINGLE).header("x-api-key", second_key).idempotent("k").json(body);
    is_replay(&first, &other_way_in.send().await);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn another_request_under_a_used_key_is_a_mistake(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let send =
        |path: &str, body: Value| server.post(path).key(&account.key).idempotent("k").json(body).send();
    let first = send(SINGLE, json!({ "content": "the first" })).await;
    for (path, body) in [
        (SINGLE, json!({ "content": "the second" })),
        (SINGLE, json!({ "content": "the first", "mentions_count": 1 })),
        (SINGLE, json!({ "content": "the first", "mode": "native" })),
        (SINGLE, json!({ "content": "the first", "explain": true })),
        (BATCH, json!({ "messages": [{ "content": "the first" }] })),
    ] {
        send(path, body).await.fails(422, "IDEMPOTENCY_MISMATCH");
    }
    is_replay(&first, &send(SINGLE, json!({ "content": "the first" })).await);
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

async fn twenty_duplicates_at_once_are_charged_once_and_answered_alike(db: Db) {
    twenty_at_once(vec![Server::start(&db).await]).await;
}

async fn duplicates_on_two_replicas_are_charged_once_and_answered_alike(db: Db) {
    let server = Server::start(&db).await;
    let replica = server.replica().await;
    twenty_at_once(vec![server, replica]).await;
}

async fn a_request_that_failed_may_be_tried_again_under_its_key(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(0).await;
    let send = |content: &str| server.moderate(&account.key, content).idempotent("k").send();
    send(" ").await.fails(422, "VALIDATION_FAILED");
    send("too poor").await.fails(402, "INSUFFICIENT_CREDITS");
    send("another one, as poor").await.fails(402, "INSUFFICIENT_CREDITS");
    server.cli(&["credits", "grant", "--account", &account.id, "--amount", "0.5"]).await;
    let paid = send("rich at last").await;
    assert_eq!((paid.remaining(), paid.header("idempotent-replayed")), (0, None));
    // Nothing is left, and nothing is needed for what is paid already.
    is_replay(&paid, &send("rich at last").await);
    send("but not this").await.fails(422, "IDEMPOTENCY_MISMATCH");
}

async fn accounts_do_not_share_their_keys(db: Db) {
    let server = Server::start(&db).await;
    for account in [server.account(1).await, server.account(1).await] {
        let answer = server.moderate(&account.key, "the same for both").idempotent("k").send().await;
        assert_eq!((answer.remaining(), answer.header("idempotent-replayed")), (500, None));
    }
}

async fn a_key_of_the_wrong_form_is_refused(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let send = |key: Vec<u8>| server.moderate(&account.key, "hello").header("idempotency-key", key).send();
    let long = "k".repeat(256);
    for wrong in ["", "two words", long.as_str(), "schlüssel", "tab\there"] {
        let answer = send(wrong.as_bytes().to_vec()).await;
        answer.fails(422, "VALIDATION_FAILED");
        assert_eq!(answer.field(), "Idempotency-Key");
    }
    send(b"\xff\xfe".to_vec()).await.fails(422, "VALIDATION_FAILED");
    assert_eq!(inv::charges(&db, &account.id).await.len(), 0);
    for right in ["k", &long[1..], "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"] {
        send(right.as_bytes().to_vec()).await.ok();
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

async fn an_answer_is_kept_for_a_day_and_then_forgotten(db: Db) {
    let mut server = Server::start(&db).await;
    let account = server.account(10).await;
    let send = async |server: &Server, key: &str| {
        server.moderate(&account.key, "hello").idempotent(key).send().await
    };
    let old = send(&server, "old").await;
    let recent = send(&server, "recent").await;
    age(&db, "old", 25).await;
    age(&db, "recent", 23).await;
    // Old answers are removed every ten minutes, by a worker.
    db.execute("UPDATE schedule SET due_at = 0").await;
    server.restart().await;
    eventually("the old answer is gone", async || (keys(&db).await == ["recent"]).then_some(())).await;
    is_replay(&recent, &send(&server, "recent").await);
    let anew = send(&server, "old").await;
    assert_eq!(anew.header("idempotent-replayed"), None);
    assert_ne!(anew.body["id"], old.body["id"]);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 3);
}

/// Makes a stored answer look so many hours old.
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
    struct Row {
        key: String,
    }
    inv::rows::<Row>(db, "SELECT key FROM idempotency ORDER BY key")
        .await
        .into_iter()
        .map(|row| row.key)
        .collect()
}

on_both!(
    an_answer_is_kept_for_a_day_and_then_forgotten,
    the_same_request_sent_again_is_answered_again_and_charged_once,
    another_request_under_a_used_key_is_a_mistake,
    twenty_duplicates_at_once_are_charged_once_and_answered_alike,
    a_request_that_failed_may_be_tried_again_under_its_key,
    accounts_do_not_share_their_keys,
    an_answer_is_remembered_across_a_crash,
);
on_postgres!(duplicates_on_two_replicas_are_charged_once_and_answered_alike);
on_sqlite!(it_does_not_matter_how_the_request_is_written, a_key_of_the_wrong_form_is_refused);
