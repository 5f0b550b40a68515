//! Privacy: no log level shows keys or content, and the database contains no content.

use serde_json::json;

use crate::harness::{Db, Server, on_both};

const WORDS: &str = "my very private words, which nobody else should read";

/// The harness checks every log for keys and texts that were sent; here with the most verbose level.
async fn no_log_level_shows_keys_or_content(db: Db) {
    let server = Server::with(&db).env("GAVEL_LOG", "trace").start().await;
    let account = server.account(5).await;
    let body = json!({ "content": WORDS, "author": "a most private author", "explain": true });
    server.post("/api/v1/moderate/text").key(&account.key).json(body).send().await.ok();
    server.moderate(&account.key, WORDS).idempotent("k").send().await.ok();
    for wrong in [
        json!({ "content": WORDS, "mode": "a private mode, too" }),
        json!({ "content": [WORDS] }),
        json!({ "content": WORDS, "mentions_count": WORDS }),
    ] {
        let refused = server.post("/api/v1/moderate/text").key(&account.key).json(wrong).send().await;
        refused.fails(422, "VALIDATION_FAILED");
    }
    let broken = format!("{{\"content\":\"{WORDS}");
    server
        .post("/api/v1/moderate/text")
        .key(&account.key)
        .json_text(broken)
        .send()
        .await
        .fails(400, "MALFORMED_BODY");
    let last = if account.key.ends_with('x') { 'y' } else { 'x' };
    let typo = format!("{}{last}", &account.key[..44]);
    server.moderate(&typo, WORDS).send().await.fails(401, "UNAUTHORIZED");
    let log = server.log();
    assert!(log.contains("\"level\":\"DEBUG\"") && log.contains("answered"), "requests are logged: {log}");
}

async fn content_is_kept_only_for_replays(db: Db) {
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
                assert!(!found, "the database contains {secret:?}");
            }
        }
    }
}

on_both!(no_log_level_shows_keys_or_content, content_is_kept_only_for_replays);
