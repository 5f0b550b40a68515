//! What the tests of inference ask, and on which paths.

use serde_json::{Value, json};

use crate::harness::{Answer, Db, Server, Upstream};

/// Under which all of them are charged.
pub(super) const INFERENCE: &str = "/api/v1/inference";
/// All paths that answer alike.
pub(super) const PATHS: [&str; 4] = [INFERENCE, "/v1/inference", "/v1/custom", "/api/inference"];

/// A server with a scripted one behind it.
pub(super) async fn start(db: &Db) -> (Server, Upstream) {
    let upstream = Upstream::start().await;
    let server = Server::with(db).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
    (server, upstream)
}

/// A request with nothing wrong.
pub(super) fn body() -> Value {
    json!({
        "state": "I was charged twice for the same order, please help",
        "instructions": { "team": ["billing", "shipping", "other"] },
    })
}

/// The same with one field of another value.
pub(super) fn with(field: &str, value: Value) -> Value {
    let mut body = body();
    body[field] = value;
    body
}

/// Asks, with success.
#[track_caller]
pub(super) fn ask(server: &Server, key: &str, body: Value) -> impl Future<Output = Value> {
    let request = server.post(INFERENCE).key(key).json(body);
    async { request.send().await.ok() }
}

/// The body without what differs between two answers to the same question.
pub(super) fn alike(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let mut body = answer.body.clone();
    for field in ["id", "latency_ms", "remaining_credits"] {
        assert!(body.as_object_mut().unwrap().shift_remove(field).is_some(), "{field} in {}", answer.text);
    }
    body
}
