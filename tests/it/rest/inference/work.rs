//! Small requests that would be a great deal of work for the model in process: refused before the work is begun, with
//! no memory taken for it.

use serde_json::{Map, Value, json};

use super::asking::{INFERENCE, body};
use crate::harness::{Db, Server, inv, on_sqlite};

/// A long question leaves so little room that the state is read in many windows, and in each once for every option.
fn many_windows() -> Value {
    let options: Map<String, Value> = (0..100).map(|n| (n.to_string(), Value::Null)).collect();
    let question = json!({ "type": "choice", "instructions": ".".repeat(760), "criteria": options });
    json!({ "state": ".".repeat(20_000), "instructions": { "q": question } })
}

/// Every value is read with the names of all that it is in.
fn long_paths() -> Value {
    let leaves: Map<String, Value> = (0..5_000).map(|n| (n.to_string(), n.into())).collect();
    let nest = |inner: Value, _| json!({ "k".repeat(1_000): inner });
    (0..50).fold(Value::Object(leaves), nest)
}

async fn much_work_in_a_small_request_is_refused_before_it_is_begun(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let send =
        async |body: Value| server.post(INFERENCE).key(&account.key).json_text(body.to_string()).send().await;
    let first = send(body()).await.ok();
    assert_eq!(first["model"], "gavel-decision-2.5.0");
    let before = server.memory().1;
    let in_question = json!({ "type": "noul", "instructions": long_paths() });
    for (hostile, field, words) in [
        (many_windows(), "state", "must come to at most 65536 tokens"),
        (json!({ "state": long_paths(), "instructions": "Is it?" }), "state", "in words"),
        (json!({ "state": [[long_paths()], 1], "instructions": "Is it?" }), "state", "in words"),
        (json!({ "state": "x", "instructions": { "q": in_question } }), "instructions.q", "in words"),
    ] {
        assert!(hostile.to_string().len() < 150_000);
        let answer = send(hostile).await;
        let message = answer.fails(422, "VALIDATION_FAILED");
        assert!(message.contains(words), "{message}");
        assert_eq!(answer.field(), field);
    }
    let grown = server.memory().1 - before;
    assert!(grown < 100, "{grown} MiB more than {before}");
    assert_eq!(send(body()).await.ok()["answers"], first["answers"]);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

on_sqlite!(much_work_in_a_small_request_is_refused_before_it_is_begun);
