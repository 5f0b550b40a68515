//! Questions to a server with scripted backends.

use serde_json::{Value, json};

use crate::harness::{Account, Answer, Db, Request, Server, ServerOptions, Upstream};

/// The route that these tests use.
pub(super) const INFERENCE: &str = "/api/v1/inference";
/// A fake OpenRouter key; no log may contain it.
pub(super) const OPENROUTER_KEY: &str = "sk-or-v1-0123456789abcdef";

/// Options for a server whose backend `local` is scripted.
pub(super) fn local(db: &Db, upstream: &Upstream) -> ServerOptions {
    Server::with_model(db, upstream)
}

/// Adds a scripted OpenRouter to the options.
pub(super) fn openrouter(start: ServerOptions, upstream: &Upstream) -> ServerOptions {
    start.env("GAVEL_OPENROUTER_URL", upstream.url()).env("GAVEL_OPENROUTER_API_KEY", OPENROUTER_KEY)
}

/// A question with three options about a short state.
pub(super) fn question() -> Value {
    json!({
        "state": "The parcel arrived with a broken screen.",
        "instructions": { "team": ["billing", "shipping", "returns"] },
    })
}

/// A request with the question and more fields of the body.
pub(super) fn ask(server: &Server, account: &Account, more: Value) -> Request {
    let mut body = question();
    let members = more.as_object().expect("members of the body").clone();
    body.as_object_mut().expect("an object").extend(members);
    server.post(INFERENCE).key(&account.key).json(body)
}

/// Asks the question without more fields.
pub(super) async fn asked(server: &Server, account: &Account) -> Answer {
    ask(server, account, json!({})).send().await
}
