//! What is kept of a request: no key and no content in any log, however talkative, and no content in the database.

use serde_json::json;

use crate::harness::{Db, Server, on_both};

const WORDS: &str = "my very private words, which nobody else should read";

/// The harness looks through every log for every key and text that was sent; here the logs hold all there is.
async fn no_log_level_shows_keys_or_content(db: Db) {
    let server = Server::with(&db).env("GAVEL_LOG", "trace").start().await;
    let account = server.account(5).await;
    let post = |body: serde_json::Value| server.post("/api/v1/moderate/text").key(&account.key).json(body);
    post(json!({ "content": WORDS, "author": "a most private author", "explain": true })).send().await.ok();
    post(json!({ "content": WORDS })).idempotent("k").send().await.ok();
    post(json!({ "content": WORDS, "mode": "a private mode, too" }))
        .send()
        .await
        .fails(422, "VALIDATION_FAILED");
    post(json!({ "content": [WORDS] })).send().await.fails(422, "VALIDATION_FAILED");
    post(json!({ "content": WORDS, "mentions_count": WORDS })).send().await.fails(422, "VALIDATION_FAILED");
    let broken = format!("{{\"content\":\"{WORDS}");
    server
        .post("/api/v1/moderate/text")
        .key(&account.key)
        .json_text(broken)
        .send()
        .await
        .fails(400, "MALFORMED_BODY");
    let typo = format!("{}x", &account.key[..44]);
    server.moderate(&typo, WORDS).send().await.fails(401, "UNAUTHORIZED");
    let log = server.log();
    assert!(log.contains("\"level\":\"DEBUG\"") && log.contains("answered"), "it tells of requests: {log}");
}

async fn content_is_not_kept_unless_a_replay_was_asked_for(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(5).await;
    let body = json!({ "content": WORDS, "author": "a most private author", "explain": true });
    server.post("/api/v1/moderate/text").key(&account.key).json(body).send().await.ok();
    for row in crate::harness::inv::ledger(&db).await {
        assert!(!format!("{row:?}").contains("private"), "{row:?}");
    }
    if db.is_sqlite() {
        for file in std::fs::read_dir(db.data_dir()).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            for secret in [WORDS, "a most private author", &account.key] {
                let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
                assert!(!found, "the database holds {secret:?}");
            }
        }
    }
}

on_both!(no_log_level_shows_keys_or_content, content_is_not_kept_unless_a_replay_was_asked_for);
