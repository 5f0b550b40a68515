//! Requests of the inference tests, and their paths.

use serde_json::{Value, json};

use crate::harness::{Answer, Db, Server, Upstream};

/// The path under which all aliases are charged.
pub(crate) const INFERENCE: &str = "/api/v1/inference";
/// The path and its aliases.
pub(super) const PATHS: [&str; 4] = [INFERENCE, "/v1/inference", "/v1/custom", "/api/inference"];

/// A server with a scripted model server.
pub(crate) async fn start(db: &Db) -> (Server, Upstream) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(db, &upstream).start().await;
    (server, upstream)
}

/// A valid request.
pub(super) fn body() -> Value {
    json!({
        "state": "I was charged twice for the same order, please help",
        "instructions": { "team": ["billing", "shipping", "other"] },
    })
}

/// A valid request with another value of one field.
pub(super) fn with(field: &str, value: Value) -> Value {
    let mut body = body();
    body[field] = value;
    body
}

/// Sends a request, which must succeed.
#[track_caller]
pub(super) fn ask(server: &Server, key: &str, body: Value) -> impl Future<Output = Value> {
    let request = server.post(INFERENCE).key(key).json(body);
    async { request.send().await.ok() }
}

/// The body without the fields that differ between two answers to the same question.
pub(super) fn alike(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let mut body = answer.body.clone();
    for field in ["id", "latency_ms", "remaining_credits"] {
        assert!(body.as_object_mut().unwrap().shift_remove(field).is_some(), "{field} in {}", answer.text);
    }
    body
}
