//! No log level shows the contents of a file, valid or not.

use serde_json::json;

use super::asking::{counts, download, import, judge, sending};
use crate::harness::{Db, Server, on_both};

const WORDS: &str = "my very private words, which nobody else should read";

/// The harness checks every log for what was sent; here with the most verbose level.
async fn no_log_level_shows_the_content_of_a_file(db: Db) {
    let server = Server::with(&db).env("GAVEL_LOG", "trace").start().await;
    let account = server.account(1).await;
    let key = db.scoped_key(&account, "manage").await;
    let judge = judge(&server, &key).await;
    let line = json!({ "state": { "said": WORDS }, "ground_truth": { "team": "billing" } });
    db.record().body(&line["state"]);
    assert_eq!(counts(import(&server, &key, &judge, std::slice::from_ref(&line)).await), [1, 1, 0, 0]);
    for (kind, file) in [
        ("application/x-ndjson", format!("{{\"state\":\"{WORDS}")),
        ("application/x-ndjson", format!("{{\"state\":\"x\",\"ground_truth\":{{\"team\":\"{WORDS}\"}}}}")),
        ("application/x-ndjson", format!("{{\"{WORDS}\":1}}")),
        ("text/csv", format!("content,{WORDS}\n1,2\n")),
        ("text/csv", format!("content\n\"{WORDS}\n")),
    ] {
        sending(&server, &key, &judge, kind, file).send().await.fails(422, "VALIDATION_FAILED");
    }
    for format in ["jsonl", "csv", "parquet"] {
        let (_, file) = download(&server, &key, &judge, &format!("?format={format}")).await;
        assert!(!file.is_empty());
    }
    let log = server.log();
    assert!(log.contains("\"level\":\"DEBUG\"") && log.contains("answered"), "requests are logged: {log}");
    assert!(!log.contains("private words"), "{log}");
}

on_both!(no_log_level_shows_the_content_of_a_file);
