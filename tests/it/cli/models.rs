//! The engine without a server, and the models by name.

use serde_json::{Value, json};

use crate::harness::{Db, Server, on_sqlite};

const LURE: &str = "free nitro for everyone, claim it at dlscord-gift.com/nitro";

async fn a_message_is_moderated_without_a_server_or_a_database(db: Db) {
    let verdict = db.cli(&["moderate", "text", LURE]).await;
    assert_ne!(verdict["action"], "none", "{verdict}");
    assert!(verdict.get("explanation").is_none());
    let explained = db.cli(&["moderate", "text", LURE, "--explain", "--mode", "native"]).await;
    assert!(explained["explanation"]["signals"].as_array().is_some_and(|signals| !signals.is_empty()));
    assert!(!db.data_dir().exists(), "nothing is written");

    let piped = db.run(&["moderate", "text", "-", "--json"], &[], LURE).await;
    assert_eq!(serde_json::from_str::<Value>(&piped.stdout).unwrap(), verdict, "{}", piped.stderr);
    let text = db.run(&["moderate", "text", LURE], &[], "").await;
    assert!(text.stdout.starts_with("action "), "{}", text.stdout);
}

async fn the_command_line_and_the_server_agree(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1).await;
    let alone =
        server.cli(&["moderate", "text", LURE, "--account-age-days", "2", "--mentions-count", "9"]).await;
    let body = json!({ "content": LURE, "account_age_days": 2, "mentions_count": 9 });
    let served = server.post("/api/v1/moderate/text").key(&account.key).json(body).send().await.ok();
    for (field, value) in alone.as_object().unwrap() {
        assert_eq!(value, &served[field], "{field}");
    }
}

async fn a_message_that_cannot_be_moderated_is_refused(db: Db) {
    for (args, field) in [
        (&["moderate", "text", ""][..], "content"),
        (&["moderate", "text", "  "], "content"),
        (&["moderate", "text", "hello", "--mode", "fast"], "mode"),
    ] {
        let error = db.cli_fails(args).await;
        assert_eq!(error["code"], "VALIDATION_FAILED");
        assert!(error["error"].as_str().unwrap().starts_with(field), "{error}");
    }
    let long = db.run(&["moderate", "text", "-", "--json"], &[], &"x".repeat(10_001)).await;
    assert_eq!(long.status.code(), Some(1));
    assert!(long.stderr.contains("at most 10000"), "{}", long.stderr);
}

async fn models_have_names_versions_and_hashes_that_can_be_checked(db: Db) {
    let listed = db.cli(&["models", "list"]).await;
    let models = listed["models"].as_array().unwrap();
    assert!(!models.is_empty());
    for model in models {
        assert_eq!(model["sha256"].as_str().unwrap().len(), 64, "{model}");
        assert_eq!(model["intact"], true, "{model}");
        assert!(
            model["name"].is_string() && model["version"].is_string() && model["bytes"].as_u64() > Some(0)
        );
    }
    assert_eq!(db.cli(&["models", "verify"]).await, listed);
}

on_sqlite!(
    a_message_is_moderated_without_a_server_or_a_database,
    the_command_line_and_the_server_agree,
    a_message_that_cannot_be_moderated_is_refused,
    models_have_names_versions_and_hashes_that_can_be_checked,
);
