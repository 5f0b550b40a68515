//! The backends of API keys over GraphQL: a key neither makes nor changes a key beyond its own limit.

use serde_json::{Value, json};

use super::{
    operator::operator,
    sessions::{owner, user_error},
};
use crate::harness::{Account, Answer, Db, Server, ServerOptions, on_both};

const CREATE: &str = "mutation($input: CreateApiKeyInput!) { payload: createApiKey(input: $input) { apiKey { id \
    backends } secret userErrors { field code message } } }";
const SET: &str = "mutation($input: SetApiKeyBackendsInput!) { payload: setApiKeyBackends(input: $input) { apiKey { \
    id backends } userErrors { field code message } } }";
const SET_ACCOUNT: &str = "mutation($input: SetAccountBackendsInput!) { payload: setAccountBackends(input: $input) { \
    customer { backends } userErrors { field code message } } }";

/// Options for a server with the backends `near` and `far`, which nobody asks.
fn two(db: &Db) -> ServerOptions {
    ["NEAR", "FAR"].into_iter().fold(Server::with(db), |options, name| {
        options
            .env(&format!("GAVEL_BACKENDS__{name}__KIND"), "system_one")
            .env(&format!("GAVEL_BACKENDS__{name}__URL"), "http://127.0.0.1:1")
    })
}

fn body(query: &str, input: Value) -> Value {
    json!({ "query": query, "variables": { "input": input } })
}

fn create(scopes: &[&str], backends: Value) -> Value {
    body(CREATE, json!({ "name": "n", "scopes": scopes, "backends": backends }))
}

fn of_account(account: &Account, backends: Value) -> Value {
    body(SET_ACCOUNT, json!({ "accountId": account.id, "backends": backends }))
}

fn set(key: &str, backends: Value) -> Value {
    body(SET, json!({ "id": key, "backends": backends }))
}

/// The id and the secret of a new key.
fn made(db: &Db, answer: Answer) -> (String, String) {
    let payload = answer.data()["payload"].take();
    let secret = payload["secret"].as_str().unwrap_or_else(|| panic!("{payload}")).to_owned();
    db.record().key(&secret);
    (payload["apiKey"]["id"].as_str().expect("an id").to_owned(), secret)
}

async fn send(server: &Server, key: &str, body: Value) -> Answer {
    server.post("/graphql").key(key).json(body).send().await
}

/// The backends of a key, in a list of keys.
fn backends_of(keys: &Value, id: &str) -> Value {
    let key = keys.as_array().expect("keys").iter().find(|key| key["id"] == id);
    key.expect("the key")["backends"].clone()
}

async fn a_key_allows_only_what_it_may_use_itself(db: Db) {
    let server = &two(&db).start().await;
    let account = server.account(1).await;
    let session = owner(server, &account).await;
    let all = ["MANAGE", "INFER"];
    let (maker, key) = made(&db, session.send(create(&all, json!(["near", "openrouter", "local"]))).await);
    for beyond in [json!(null), json!(["far"]), json!(["near", "far"])] {
        let refused = send(server, &key, create(&all, beyond.clone())).await;
        assert!(refused.refused("FORBIDDEN").ends_with("near, openrouter"), "{}", refused.text);
        send(server, &key, set(&maker, beyond.clone())).await.refused("FORBIDDEN");
        send(server, &key, set(&account.key_id, beyond)).await.refused("FORBIDDEN");
    }
    let (child, child_key) = made(&db, send(server, &key, create(&all, json!(["openrouter", "near"]))).await);
    let (grandchild, _) = made(&db, send(server, &child_key, create(&all, json!(["near"]))).await);
    let (other, _) = made(&db, session.send(create(&["INFER"], json!(null))).await);
    let narrowed = session.send(set(&maker, json!(["openrouter"]))).await.data();
    assert_eq!(narrowed["payload"]["apiKey"]["backends"], json!(["openrouter"]));
    let listed = session.query("{ account { apiKeys { nodes { id backends } } } }").await;
    let keys = &listed["account"]["apiKeys"]["nodes"];
    assert_eq!(backends_of(keys, &child), json!(["openrouter"]), "a limit narrows those of the keys it made");
    assert_eq!(backends_of(keys, &grandchild), json!([]));
    assert_eq!(backends_of(keys, &other), Value::Null);
    let log = session.query("{ account { auditLog { nodes { action target detail } } } }").await;
    let entries = log["account"]["auditLog"]["nodes"].as_array().unwrap();
    assert!(
        entries.iter().any(|entry| entry["action"] == "API_KEY_UPDATE" && entry["target"] == maker),
        "{log}"
    );
}

async fn a_backend_that_does_not_exist_is_named(db: Db) {
    let server = &two(&db).start().await;
    let account = server.account(1).await;
    let session = owner(server, &account).await;
    let operator = operator(&db, server).await;
    let wrong = json!(["near", "nowhere"]);
    for answer in [
        session.send(create(&["INFER"], wrong.clone())).await,
        session.send(set(&account.key_id, wrong.clone())).await,
        operator.send(of_account(&account, wrong)).await,
    ] {
        assert_eq!(user_error(&answer), (Some("backends"), "VALIDATION_FAILED"), "{}", answer.text);
        assert!(
            answer.text.contains("must be some of: gavel, local, openrouter, diffusion, far, near"),
            "{}",
            answer.text
        );
    }
    session.send(of_account(&account, json!(["near"]))).await.refused("FORBIDDEN");
    let limited = operator.send(of_account(&account, json!(["near", "gavel"]))).await.data();
    assert_eq!(limited["payload"]["customer"]["backends"], json!(["near"]));
    let freed = operator.send(of_account(&account, json!(null))).await.data();
    assert_eq!(freed["payload"]["customer"]["backends"], Value::Null);
    let stranger = server.account(1).await;
    let refused = session.send(set(&stranger.key_id, json!(["near"]))).await;
    assert_eq!(user_error(&refused).1, "NOT_FOUND", "{}", refused.text);
    let printed =
        db.cli_fails(&["key", "set-backends", "--key", &account.key_id, "--backends", "nowhere"]).await;
    assert_eq!(printed["code"], "VALIDATION_FAILED", "{printed}");
    let by_command = db.cli(&["key", "set-backends", "--key", &account.key_id, "--backends", "gavel"]).await;
    assert_eq!(by_command["backends"], json!([]));
}

on_both!(a_key_allows_only_what_it_may_use_itself, a_backend_that_does_not_exist_is_named);
