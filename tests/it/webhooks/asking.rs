//! Webhook endpoints and deliveries of the tests.

use serde_json::{Value, json};

use super::receiver::Receiver;
use crate::harness::{Account, Db, Server, ServerOptions, eventually};

const CREATE: &str = "mutation($input: CreateWebhookEndpointInput!) { payload: createWebhookEndpoint(input: \
    $input) { webhookEndpoint { id url enabled eventTypes } secret userErrors { field code message } } }";
const DELIVERIES: &str = "query($id: ID!) { webhookEndpoint(id: $id) { enabled disabledReason failingSince \
    deliveries { totalCount nodes { id eventId eventType state attempts status error nextAttemptAt \
    finishedAt } } } }";

/// An account with a key that manages it.
pub(super) struct Tenant {
    pub(super) account: Account,
    pub(super) key: String,
}

pub(super) async fn tenant(db: &Db) -> Tenant {
    let account = db.account(100).await;
    let key = db.scoped_key(&account, "moderate,infer,manage").await;
    Tenant { account, key }
}

/// Options for a server that may send to receivers on these addresses.
pub(super) fn allowing(db: &Db, allow: &str) -> ServerOptions {
    Server::with(db).env("GAVEL_WEBHOOK_ALLOW", allow)
}

/// Tries to create an endpoint; returns the payload.
pub(super) async fn create(server: &Server, key: &str, input: Value) -> Value {
    server.ask(key, CREATE, json!({ "input": input })).await["payload"].clone()
}

/// Creates an endpoint for some types of events, or all; returns its id and secret.
pub(super) async fn endpoint(server: &Server, of: &Tenant, url: &str, types: &[&str]) -> (String, String) {
    let made = create(server, &of.key, json!({ "url": url, "eventTypes": types })).await;
    let secret = made["secret"].as_str().unwrap_or_else(|| panic!("no endpoint: {made}")).to_owned();
    server.db.record().key(&secret);
    (made["webhookEndpoint"]["id"].as_str().expect("an id").to_owned(), secret)
}

/// Runs a mutation that takes an id; returns its payload.
pub(super) async fn by_id(server: &Server, key: &str, mutation: &str, id: &str, select: &str) -> Value {
    let query = format!(
        "mutation {{ payload: {mutation}(input: {{ id: \"{id}\" }}) {{ {select} userErrors {{ field code \
         message }} }} }}"
    );
    server.ask(key, &query, json!({})).await["payload"].clone()
}

/// Sends a `ping`; returns the id of the delivery.
pub(super) async fn ping(server: &Server, of: &Tenant, endpoint: &str) -> String {
    let sent = by_id(server, &of.key, "testWebhookEndpoint", endpoint, "webhookDelivery { id }").await;
    sent["webhookDelivery"]["id"].as_str().unwrap_or_else(|| panic!("no delivery: {sent}")).to_owned()
}

/// The endpoint with its deliveries, newest first.
pub(super) async fn state(server: &Server, of: &Tenant, endpoint: &str) -> Value {
    server.ask(&of.key, DELIVERIES, json!({ "id": endpoint })).await["webhookEndpoint"].clone()
}

/// Waits until `wanted` holds for the newest delivery; returns the endpoint.
pub(super) async fn newest_is(
    server: &Server,
    of: &Tenant,
    endpoint: &str,
    wanted: impl Fn(&Value) -> bool,
) -> Value {
    eventually("the delivery has the wanted state", async || {
        let state = state(server, of, endpoint).await;
        wanted(&state["deliveries"]["nodes"][0]).then_some(())
    })
    .await;
    // Read again, since the endpoint was read before its deliveries.
    state(server, of, endpoint).await
}

/// Waits until a receiver has received this many requests.
pub(super) async fn has_received(receiver: &Receiver, count: usize) {
    eventually(&format!("{count} requests are received"), async || {
        (receiver.received().len() >= count).then_some(())
    })
    .await;
}
