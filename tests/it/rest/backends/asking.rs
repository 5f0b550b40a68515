//! Questions to a server whose backends are scripted, and its metrics.

use serde_json::{Value, json};

use crate::harness::{Account, Answer, Db, Request, Server, Start, Upstream};

/// The route that all tests here ask.
pub(super) const INFERENCE: &str = "/api/v1/inference";
/// What stands for OpenRouter's key; no log may hold it.
pub(super) const OPENROUTER_KEY: &str = "sk-or-v1-0123456789abcdef";

/// A server to be started whose `local` is the scripted one.
pub(super) fn local(db: &Db, upstream: &Upstream) -> Start {
    Server::with(db).env("GAVEL_LOCAL_URL", upstream.url())
}

/// A server to be started whose OpenRouter is the scripted one.
pub(super) fn openrouter(start: Start, upstream: &Upstream) -> Start {
    start.env("GAVEL_OPENROUTER_URL", upstream.url()).env("GAVEL_OPENROUTER_API_KEY", OPENROUTER_KEY)
}

/// A choice of three about a short state.
pub(super) fn question() -> Value {
    json!({
        "state": "The parcel arrived with a broken screen.",
        "instructions": { "team": ["billing", "shipping", "returns"] },
    })
}

/// Asks for it under an account's key, with more members of the body.
pub(super) fn ask(server: &Server, account: &Account, more: Value) -> Request {
    let mut body = question();
    let members = more.as_object().expect("members of the body").clone();
    body.as_object_mut().expect("an object").extend(members);
    server.post(INFERENCE).key(&account.key).json(body)
}

/// Asks as it is.
pub(super) async fn asked(server: &Server, account: &Account) -> Answer {
    ask(server, account, json!({})).send().await
}
