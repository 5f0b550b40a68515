//! Managing endpoints: permissions, secrets, erasure, and the documentation's example of verification.

use super::receiver::Received;
use std::{path::Path, process::Command};

use serde_json::json;

use super::{
    asking::*,
    receiver::{Receiver, Reply},
};
use crate::harness::{Db, eventually, inv, on_both, on_sqlite};

const MUTATIONS: [&str; 4] =
    ["deleteWebhookEndpoint", "rotateWebhookSecret", "testWebhookEndpoint", "updateWebhookEndpoint"];

async fn editors_manage_endpoints_and_secrets_are_shown_once(db: Db) {
    let server = allowing(&db, "127.0.0.1").start().await;
    let mine = tenant(&db).await;
    let other = tenant(&db).await;
    let (id, secret) = endpoint(&server, &mine, "https://example.com/hooks", &["batch.completed"]).await;
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{}", secret.len());
    let reader = db.scoped_key(&mine.account, "read").await;
    let list = "{ account { webhookEndpoints { id url description eventTypes enabled createdBy { id apiKey { \
        id } } previousSecretUntil deliveries { totalCount } } } }";
    let listed = server.ask(&reader, list, json!({})).await;
    let one = &listed["account"]["webhookEndpoints"][0];
    assert_eq!((&one["id"], &one["eventTypes"]), (&json!(id), &json!(["batch.completed"])), "{listed}");
    assert!(!listed.to_string().contains("whsec_"));
    let node = format!("{{ node(id: \"{id}\") {{ id ... on WebhookEndpoint {{ url }} }} }}");
    assert_eq!(server.ask(&reader, &node, json!({})).await["node"]["url"], "https://example.com/hooks");
    // Analysts may read; other accounts see nothing.
    let create = json!({ "query": "mutation { createWebhookEndpoint(input: { url: \
        \"https://example.com/\" }) { secret } }" });
    server.post("/graphql").key(&reader).json(create).send().await.refused("FORBIDDEN");
    for mutation in MUTATIONS {
        let query =
            format!("mutation {{ {mutation}(input: {{ id: \"{id}\" }}) {{ userErrors {{ code }} }} }}");
        server.graphql(&query, json!({})).key(&reader).send().await.refused("FORBIDDEN");
        let missing = by_id(&server, &other.key, mutation, &id, "").await;
        assert_eq!(missing["userErrors"][0]["code"], "NOT_FOUND", "{mutation}: {missing}");
    }
    let find = format!("{{ webhookEndpoint(id: \"{id}\") {{ id }} }}");
    server.graphql(&find, json!({})).key(&other.key).send().await.refused("NOT_FOUND");

    for (input, field) in [
        (json!({ "url": "https://example.com/", "description": "x".repeat(201) }), "description"),
        (json!({ "url": "https://example.com/", "description": "two\nlines" }), "description"),
        (
            json!({ "url": "https://example.com/", "eventTypes": ["batch.completed", "batch"] }),
            "eventTypes[1]",
        ),
        (json!({ "url": "https://example.com/", "eventTypes": ["ping"] }), "eventTypes[0]"),
    ] {
        let refused = create_refused(&server, &mine, input).await;
        assert_eq!(refused, (Some(field.to_owned()), "VALIDATION_FAILED".to_owned()));
    }
    for _ in 1..10 {
        endpoint(&server, &mine, "https://example.com/", &[]).await;
    }
    let full = create_refused(&server, &mine, json!({ "url": "https://example.com/" })).await;
    assert_eq!(full, (None, "CONFLICT".to_owned()));
    endpoint(&server, &other, "https://example.com/", &[]).await;

    let deleted = by_id(&server, &mine.key, "deleteWebhookEndpoint", &id, "deletedWebhookEndpointId").await;
    assert_eq!(deleted["deletedWebhookEndpointId"], id);
    server.graphql(&find, json!({})).key(&mine.key).send().await.refused("NOT_FOUND");
    let log = server
        .ask(&reader, "{ account { auditLog(first: 100) { nodes { action target detail } } } }", json!({}))
        .await;
    let entries = log["account"]["auditLog"]["nodes"].as_array().unwrap();
    for action in ["WEBHOOK_CREATE", "WEBHOOK_DELETE"] {
        let of_it = entries.iter().filter(|entry| entry["action"] == action && entry["target"] == id);
        assert_eq!(of_it.count(), 1, "{action}: {log}");
    }
    assert!(!log.to_string().contains("example.com") && !log.to_string().contains("whsec_"), "{log}");
}

async fn create_refused(
    server: &crate::harness::Server,
    of: &Tenant,
    input: serde_json::Value,
) -> (Option<String>, String) {
    let payload = create(server, &of.key, input).await;
    assert!(payload["secret"].is_null(), "{payload}");
    let error = &payload["userErrors"][0];
    (error["field"].as_str().map(str::to_owned), error["code"].as_str().expect("a code").to_owned())
}

async fn an_erased_account_leaves_nothing_and_is_sent_nothing(db: Db) {
    let server = allowing(&db, "127.0.0.1").start().await;
    let mine = tenant(&db).await;
    let receiver = Receiver::start("127.0.0.1", |_| Reply::Status(500)).await;
    let (id, _) = endpoint(&server, &mine, &receiver.url(), &[]).await;
    ping(&server, &mine, &id).await;
    has_received(&receiver, 1).await;
    db.cli(&["account", "erase", "--account", &mine.account.id, "--confirm", &mine.account.email]).await;
    let left = receiver.received().len();
    // The second attempt would come after 5 s.
    tokio::time::sleep(std::time::Duration::from_secs(7)).await;
    assert_eq!(receiver.received().len(), left);
    for table in ["webhook_endpoint", "webhook_delivery", "job"] {
        assert_eq!(inv::count(&db, table).await, 0, "{table}");
    }
}

/// The Python example of the documentation.
fn example() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/webhooks.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let (_, after) = page.split_once("```python\n").expect("an example");
    after.split_once("```").expect("the end of the block").0.to_owned()
}

/// Runs the example on a request's headers and this body; returns what it prints.
fn verify(received: &Received, secret: &str, body: &str) -> String {
    let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"]
        .map(|name| (name.to_owned(), json!(received.header(name))));
    let headers = serde_json::Value::Object(headers.into_iter().collect());
    let call =
        "import json, sys\nprint(verify(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3].encode()))\n";
    let program = format!("{}\n{call}", example());
    let mut python = Command::new("python3");
    let ran = python.args(["-c", &program, secret, &headers.to_string(), body]).output().expect("python3");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).trim().to_owned()
}

async fn the_documented_example_verifies_deliveries(db: Db) {
    let server = allowing(&db, "127.0.0.1").start().await;
    let mine = tenant(&db).await;
    let receiver = Receiver::start("127.0.0.1", |_| Reply::Status(200)).await;
    let (id, secret) = endpoint(&server, &mine, &receiver.url(), &[]).await;
    ping(&server, &mine, &id).await;
    has_received(&receiver, 1).await;
    let received = &receiver.received()[0];
    assert_eq!(received.json()["type"], "ping");
    assert_eq!(verify(received, &secret, &received.body), "True");
    assert_eq!(verify(received, &secret, &received.body.replace("ping", "pong")), "False");
    assert_eq!(verify(received, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", &received.body), "False");
    eventually("the metrics count it", async || {
        let metrics = server.get("/metrics").send().await.text;
        metrics.contains("gavel_webhook_attempts_total{outcome=\"delivered\"} 1").then_some(())
    })
    .await;
}

on_both!(
    editors_manage_endpoints_and_secrets_are_shown_once,
    an_erased_account_leaves_nothing_and_is_sent_nothing,
);
on_sqlite!(the_documented_example_verifies_deliveries);
