//! API keys over GraphQL: created, listed and revoked; a key cannot create one with more permissions than its own.

use serde_json::{Value, json};

use super::sessions::{owner, user_error};
use crate::harness::{Db, Server, eventually, on_both};

const CREATE: &str = "mutation($input: CreateApiKeyInput!) { payload: createApiKey(input: $input) { apiKey { \
    id name hint scopes rateLimitPerMinute expiresAt active createdAt } secret userErrors { field code \
    message } } }";

fn create(input: Value) -> Value {
    json!({ "query": CREATE, "variables": { "input": input } })
}

async fn a_key_is_created_shown_once_used_and_revoked(db: Db) {
    let server = &Server::start(&db).await;
    let replica = server.replica().await;
    let account = server.account(5).await;
    let session = &owner(server, &account).await;
    let end = chrono::Utc::now() + chrono::Duration::days(3);
    let input = json!({
        "name": "  bot ", "scopes": ["MODERATE", "READ", "MODERATE"],
        "expiresAt": end.to_rfc3339(), "rateLimitPerMinute": 50,
    });
    let made = session.send(create(input)).await.data()["payload"].clone();
    let secret = made["secret"].as_str().unwrap().to_owned();
    db.record().key(&secret);
    let key = &made["apiKey"];
    let id = made["apiKey"]["id"].as_str().unwrap();
    assert_eq!((&key["name"], &key["scopes"]), (&json!("bot"), &json!(["MODERATE", "READ"])));
    assert_eq!((&key["rateLimitPerMinute"], &key["active"]), (&json!(50), &json!(true)));
    assert!(secret.starts_with(key["hint"].as_str().unwrap()));
    server.moderate(&secret, "hello").send().await.ok();
    replica.moderate(&secret, "hello").send().await.ok();

    let listed = session.query("{ account { apiKeys { totalCount nodes { id name lastUsedAt } } } }").await;
    let keys = &listed["account"]["apiKeys"];
    assert_eq!((&keys["totalCount"], &keys["nodes"][0]["id"]), (&json!(2), &json!(id)), "the newest first");
    assert!(keys["nodes"][0]["lastUsedAt"].is_string());
    assert!(!listed.to_string().contains(&secret));
    let who =
        server.ask(&secret, "{ viewer { role user { id } apiKey { id } sessions { id } } }", json!({})).await;
    let expected = json!({ "role": "ANALYST", "user": null, "apiKey": { "id": id }, "sessions": [] });
    assert_eq!(who["viewer"], expected);

    let revoke = format!(
        "revokeApiKey(input: {{ id: \"{id}\" }}) {{ apiKey {{ active revokedAt }} userErrors {{ code }} }}"
    );
    let first = session.payload(&revoke).await;
    assert_eq!(first["apiKey"]["active"], false);
    assert_eq!(session.payload(&revoke).await, first, "revoking twice is no error and changes nothing");
    for server in [server, &replica] {
        eventually("the key is refused", || async {
            (server.moderate(&secret, "hello").send().await.status == 401).then_some(())
        })
        .await;
    }
    let live =
        session.query("{ account { apiKeys(includeRevoked: false) { totalCount nodes { id } } } }").await;
    assert_eq!(live["account"]["apiKeys"]["totalCount"], 1);
    let log = session.query("{ account { auditLog { nodes { action actor { id } target detail } } } }").await;
    let entries = log["account"]["auditLog"]["nodes"].as_array().unwrap();
    for action in ["API_KEY_CREATE", "API_KEY_REVOKE"] {
        let about_key = entries.iter().filter(|entry| entry["action"] == action && entry["target"] == id);
        assert_eq!(about_key.count(), 1, "{action}: {log}");
    }
    let query = "{ account { auditLog(action: API_KEY_REVOKE) { totalCount nodes { action target } } } }";
    let expected = json!({ "totalCount": 1, "nodes": [{ "action": "API_KEY_REVOKE", "target": id }] });
    assert_eq!(session.query(query).await["account"]["auditLog"], expected);
    assert!(!log.to_string().contains(&secret));
}

async fn useless_keys_are_not_created(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let session = owner(server, &account).await;
    for (input, field) in [
        (json!({ "name": "", "scopes": ["READ"] }), "name"),
        (json!({ "name": "two\nlines", "scopes": ["READ"] }), "name"),
        (json!({ "name": "x".repeat(101), "scopes": ["READ"] }), "name"),
        (json!({ "name": "n", "scopes": [] }), "scopes"),
        (json!({ "name": "n", "scopes": ["READ"], "expiresAt": "2020-01-01T00:00:00Z" }), "expiresAt"),
        (json!({ "name": "n", "scopes": ["READ"], "rateLimitPerMinute": -1 }), "rateLimitPerMinute"),
    ] {
        let refused = session.send(create(input.clone())).await;
        assert_eq!(user_error(&refused), (Some(field), "VALIDATION_FAILED"), "{input}");
        assert_eq!(refused.body["data"]["payload"]["secret"], Value::Null);
    }
    let listed = session.query("{ account { apiKeys { totalCount } } }").await;
    assert_eq!(listed["account"]["apiKeys"]["totalCount"], 1);
}

async fn keys_cannot_create_more_powerful_keys(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(1).await;
    let end = chrono::Utc::now() + chrono::Duration::days(3);
    let args = ["--scopes", "manage,infer", "--expires-at", &end.to_rfc3339()];
    let (id, maker) = db.key(&account, &args).await;

    let soon = end - chrono::Duration::days(1);
    let late = end + chrono::Duration::seconds(1);
    let input = json!({ "name": "n", "scopes": ["INFER"], "expiresAt": soon.to_rfc3339() });
    let made = server.post("/graphql").key(&maker).json(create(input)).send().await.data();
    assert_eq!(made["payload"]["apiKey"]["scopes"], json!(["INFER"]));
    for beyond in [
        json!({ "name": "n", "scopes": ["MODERATE"], "expiresAt": soon.to_rfc3339() }),
        json!({ "name": "n", "scopes": ["INFER", "READ"], "expiresAt": soon.to_rfc3339() }),
        json!({ "name": "n", "scopes": ["INFER"] }),
        json!({ "name": "n", "scopes": ["INFER"], "expiresAt": late.to_rfc3339() }),
    ] {
        server.post("/graphql").key(&maker).json(create(beyond)).send().await.refused("FORBIDDEN");
    }
    let log =
        server.ask(&maker, "{ account { auditLog { nodes { action actor { id } } } } }", json!({})).await;
    let entries = log["account"]["auditLog"]["nodes"].as_array().unwrap();
    let by_key = entries
        .iter()
        .filter(|entry| entry["actor"]["id"] == id && entry["action"] == "API_KEY_CREATE")
        .count();
    assert_eq!(by_key, 1, "{log}");
}

fn limited(scopes: Value, limit: Value) -> Value {
    create(json!({ "name": "n", "scopes": scopes, "rateLimitPerMinute": limit }))
}

/// A key with a rate limit makes keys that have a lower one and count towards its own.
async fn a_key_does_not_escape_its_rate_limit_by_the_keys_it_makes(db: Db) {
    let server = &Server::start(&db).await;
    let account = server.account(100).await;
    let scopes = "manage,moderate";
    let (_, maker) = db.key(&account, &["--scopes", scopes, "--rate-limit-per-minute", "600"]).await;
    for (scopes, limit, names) in [
        (json!(["MODERATE"]), json!(null), "1 to 600"),
        (json!(["MODERATE"]), json!(0), "1 to 600"),
        (json!(["MODERATE"]), json!(601), "1 to 600"),
        (json!(["MODERATE", "MANAGE"]), json!(600), "manage"),
    ] {
        let refused = server.post("/graphql").key(&maker).json(limited(scopes, limit)).send().await;
        assert!(refused.refused("FORBIDDEN").contains(names), "{}", refused.text);
    }
    // Two requests make two keys, and two are left for all three.
    let (_, maker) = db.key(&account, &["--scopes", scopes, "--rate-limit-per-minute", "4"]).await;
    let mut made = Vec::new();
    for _ in 0..2 {
        let input = limited(json!(["MODERATE"]), json!(4));
        let answer = server.post("/graphql").key(&maker).json(input).send().await;
        let secret = answer.data()["payload"]["secret"].as_str().unwrap().to_owned();
        db.record().key(&secret);
        made.push(secret);
    }
    let first = server.moderate(&made[0], "hello").send().await;
    assert_eq!(first.header("ratelimit-policy"), Some("\"key\";q=4;w=60, \"maker\";q=4;w=60"));
    assert!(first.header("ratelimit").unwrap().starts_with("\"maker\";r=1;t="), "{:?}", first.headers);
    first.ok();
    server.moderate(&made[1], "hello").send().await.ok();
    for key in [&made[0], &made[1], &maker] {
        server.moderate(key, "hello").send().await.fails(429, "RATE_LIMITED");
    }
    server.moderate(&account.key, "the account has no limit").send().await.ok();
}

on_both!(
    a_key_is_created_shown_once_used_and_revoked,
    useless_keys_are_not_created,
    keys_cannot_create_more_powerful_keys,
    a_key_does_not_escape_its_rate_limit_by_the_keys_it_makes,
);
