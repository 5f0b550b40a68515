//! Small requests that would be much work for the model in process: refused before the work begins, without
//! using memory.

use serde_json::{Map, Value, json};

use super::asking::{INFERENCE, body};
use crate::harness::{Account, Answer, Db, Server, inv, on_sqlite};

/// A long question, so that the state is read in many windows, each once for every option.
fn many_windows() -> Value {
    let options: Map<String, Value> = (0..100).map(|n| (n.to_string(), Value::Null)).collect();
    let question = json!({ "type": "choice", "instructions": ".".repeat(760), "criteria": options });
    json!({ "state": ".".repeat(20_000), "instructions": { "q": question } })
}

/// Deep nesting: every value is read with the names of all its parents.
fn long_paths() -> Value {
    let leaves: Map<String, Value> = (0..5_000).map(|n| (n.to_string(), n.into())).collect();
    (0..50).fold(Value::Object(leaves), |inner: Value, _| json!({ "k".repeat(1_000): inner }))
}

async fn send(server: &Server, account: &Account, body: Value) -> Answer {
    server.post(INFERENCE).key(&account.key).json_text(body.to_string()).send().await
}

async fn small_requests_with_much_work_are_refused_before_it_begins(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let first = send(&server, &account, body()).await.ok();
    assert_eq!(first["model"], "gavel-decision-3.0.0");
    let before = server.memory().1;
    let in_question = json!({ "type": "noul", "instructions": long_paths() });
    for (hostile, field, words) in [
        (many_windows(), "state", "must have at most 65536 tokens"),
        (json!({ "state": long_paths(), "instructions": "Is it?" }), "state", "bytes as text"),
        (json!({ "state": [[long_paths()], 1], "instructions": "Is it?" }), "state", "bytes as text"),
        (json!({ "state": "x", "instructions": { "q": in_question } }), "instructions.q", "bytes as text"),
    ] {
        assert!(hostile.to_string().len() < 150_000);
        let answer = send(&server, &account, hostile).await;
        let message = answer.fails(422, "VALIDATION_FAILED");
        assert!(message.contains(words), "{message}");
        assert_eq!(answer.field(), field);
    }
    let grown = server.memory().1 - before;
    assert!(grown < 100, "{grown} MiB more than {before}");
    assert_eq!(send(&server, &account, body()).await.ok()["answers"], first["answers"]);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

on_sqlite!(small_requests_with_much_work_are_refused_before_it_begins);
