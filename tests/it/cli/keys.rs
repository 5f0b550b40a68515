//! API keys: shown once, listed without their secret, revoked permanently.

use serde_json::json;

use crate::harness::{Db, Server, on_both};

async fn keys_are_created_listed_and_revoked(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let end = chrono::Utc::now() + chrono::Duration::days(3);
    let args = [
        "--name",
        "bot",
        "--scopes",
        "moderate,read",
        "--expires-at",
        &end.to_rfc3339(),
        "--rate-limit-per-minute",
        "7",
    ];
    let (id, secret) = db.key(&account, &args).await;
    server.moderate(&secret, "hello").send().await.ok();

    let listed = db.cli(&["key", "list", "--account", &account.email]).await;
    let keys = listed["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 2);
    let key = &keys[1];
    assert_eq!((&key["key_id"], &key["account_id"]), (&json!(id), &json!(account.id)));
    assert_eq!((&key["name"], &key["scopes"]), (&json!("bot"), &json!(["moderate", "read"])));
    assert_eq!((&key["state"], &key["rate_limit_per_minute"]), (&json!("live"), &json!(7)));
    assert_eq!(keys[0]["scopes"], json!(["moderate", "infer"]), "the default scopes");
    assert!(secret.starts_with(key["hint"].as_str().unwrap()));
    assert!(!listed.to_string().contains(&secret), "a secret is shown once");

    for _ in 0..2 {
        assert_eq!(db.cli(&["key", "revoke", "--key", &id]).await, json!({ "key_id": id, "revoked": true }));
    }
    let listed = db.cli(&["key", "list"]).await;
    assert_eq!(listed["keys"][1]["state"], "revoked");
    let revoked_at = listed["keys"][1]["revoked_at"].as_str().unwrap();
    assert!(chrono::DateTime::parse_from_rfc3339(revoked_at).is_ok(), "{revoked_at}");
    let nobody = db.cli_fails(&["key", "revoke", "--key", "key_01kahd7f3ye9pvsk8h0a5m5x2e"]).await;
    assert_eq!(nobody["code"], "NOT_FOUND");
}

async fn useless_keys_are_not_created(db: Db) {
    let account = db.account(1).await;
    let past = "2020-01-01T00:00:00Z";
    for (more, field) in [
        (&["--scopes", "everything"][..], "scopes"),
        (&["--scopes", ""], "scopes"),
        (&["--scopes", "moderate,"], "scopes"),
        (&["--expires-at", past], "expires_at"),
    ] {
        let error = db.cli_fails(&[&["key", "create", "--account", &account.id], more].concat()).await;
        assert_eq!(error["code"], "VALIDATION_FAILED", "{more:?}");
        assert!(error["error"].as_str().unwrap().starts_with(field), "{more:?}: {error}");
    }
    let nobody = db.cli_fails(&["key", "create", "--account", "acc_01kahd7f3ye9pvsk8h0a5m5x2e"]).await;
    assert_eq!(nobody["code"], "NOT_FOUND");
    assert_eq!(db.cli(&["key", "list"]).await["keys"].as_array().unwrap().len(), 1);
}

on_both!(keys_are_created_listed_and_revoked, useless_keys_are_not_created);
