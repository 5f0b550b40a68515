//! `gavel serve --demo`, with which newcomers start.

use std::{os::unix::fs::PermissionsExt, time::Duration};

use serde_json::{Value, json};

use crate::harness::{Db, Server, eventually, eventually_within, on_postgres, on_sqlite};

/// The models are loaded first, beside other tests.
const SEEDED_WITHIN: Duration = Duration::from_secs(60);

/// What `serve --demo --json` printed.
async fn printed_by_demo(server: &Server) -> Value {
    eventually("the demo prints its key", async || serde_json::from_str(&server.printed()).ok()).await
}

async fn the_demo_prints_a_working_key(db: Db) {
    let server = Server::with(&db).args(&["serve", "--demo"]).start().await;
    let printed = eventually("the curl line", async || {
        let printed = server.printed();
        printed.contains("curl ").then_some(printed)
    })
    .await;
    assert!(printed.contains(&server.base_url), "{printed}");
    let curl = printed.lines().find(|line| line.starts_with("curl ")).expect("a curl line");
    // A shell runs the line, as a newcomer would.
    let ran =
        std::process::Command::new("sh").args(["-c", &curl.replacen("curl", "curl -s", 1)]).output().unwrap();
    let verdict: Value = serde_json::from_slice(&ran.stdout).expect("a verdict");
    assert_ne!(verdict["action"], "none", "{verdict}");
    assert!(verdict["explanation"].is_object() && verdict["remaining_credits"].is_number(), "{verdict}");
}

async fn the_demos_secrets_are_readable_by_their_owner_only(db: Db) {
    let server = Server::with(&db).args(&["serve", "--demo", "--json"]).start().await;
    let demo = printed_by_demo(&server).await;
    let key = demo["api_key"].as_str().unwrap();
    let password = demo["password"].as_str().unwrap();
    // The harness checks the logs for the key; the password is checked here.
    db.record().key(key);
    assert!(!server.log().contains(password));

    for (path, mode) in [(db.data_dir().join("demo.json"), 0o600), (db.data_dir(), 0o700)] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
    let kept: Value =
        serde_json::from_slice(&std::fs::read(db.data_dir().join("demo.json")).unwrap()).unwrap();
    assert_eq!((&kept["api_key"], &kept["password"]), (&demo["api_key"], &demo["password"]));
}

async fn the_demo_keeps_its_key_while_it_works(db: Db) {
    let mut server = Server::with(&db).args(&["serve", "--demo", "--empty", "--json"]).start().await;
    let first = printed_by_demo(&server).await;
    server.moderate(first["api_key"].as_str().unwrap(), "hello").send().await.ok();
    server.terminate().await;
    server.restart().await;
    let second = printed_by_demo(&server).await;
    for field in ["account_id", "api_key", "email", "password"] {
        assert_eq!(first[field], second[field], "{field}");
    }
    let left = server.moderate(second["api_key"].as_str().unwrap(), "hello").send().await.remaining();
    assert_eq!(left, 19_999_000, "it is the same account");

    // A revoked key is replaced, on the same account.
    let keys = server.cli(&["key", "list"]).await;
    server.cli(&["key", "revoke", "--key", keys["keys"][0]["key_id"].as_str().unwrap()]).await;
    server.terminate().await;
    server.restart().await;
    let third = printed_by_demo(&server).await;
    assert_ne!(third["api_key"], first["api_key"]);
    assert_eq!(third["account_id"], first["account_id"]);
    server.moderate(third["api_key"].as_str().unwrap(), "hello").send().await.ok();
}

async fn the_demo_begins_with_examples(db: Db) {
    let server = Server::with(&db).args(&["serve", "--demo", "--json"]).start().await;
    let demo = printed_by_demo(&server).await;
    let key = demo["api_key"].as_str().unwrap();
    let query = "{ account { moderationPolicies { totalCount } moderationLog { samples { totalCount } } \
                 judges { nodes { name stats { count labelled } } } checkpoints { totalCount } available } }";
    let seen = eventually_within(SEEDED_WITHIN, "the examples", async || {
        let seen = server.ask(key, query, json!({})).await["account"].clone();
        (seen["checkpoints"]["totalCount"] == 1).then_some(seen)
    })
    .await;
    assert_eq!(seen["moderationPolicies"]["totalCount"], 1);
    assert_eq!(seen["moderationLog"]["samples"]["totalCount"], 48);
    let stats = &seen["judges"]["nodes"][0]["stats"];
    assert_eq!((&stats["count"], &stats["labelled"]), (&json!(88), &json!(64)));
    assert!(seen["available"].as_f64() < Some(20_000.0), "the examples are paid for");
    // They are spread over two weeks, in the order of the ledger.
    let query = "{ account { createdAt usage(bucket: DAY, groupBy: []) { start requests items } \
                 ledger(first: 100) { nodes { \
                 createdAt kind } } } }";
    let account = server.ask(key, query, json!({})).await["account"].clone();
    let days = account["usage"].as_array().unwrap();
    assert!((12..=15).contains(&days.len()), "{days:?}");
    assert!(days.iter().all(|day| day["items"].as_i64() < Some(30)), "{days:?}");
    let entries = account["ledger"]["nodes"].as_array().unwrap();
    let times: Vec<&str> = entries.iter().map(|entry| entry["createdAt"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by(|later, earlier| later >= earlier), "{times:?}");
    let first = entries.last().unwrap();
    assert_eq!((&first["kind"], &first["createdAt"]), (&json!("GRANT"), &account["createdAt"]));
}

async fn the_demo_refuses_public_addresses(db: Db) {
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        refused(&db, listen).await;
    }
}

async fn the_demo_refuses_a_production_database(db: Db) {
    refused(&db, "127.0.0.1:0").await;
    assert_eq!(db.cli(&["account", "list"]).await["accounts"].as_array().unwrap().len(), 0);
}

async fn refused(db: &Db, listen: &str) {
    let ran = db.run(&["serve", "--demo"], &[("GAVEL_LISTEN", listen)], "").await;
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("--demo") && ran.stderr.contains("loopback"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("svc_live_") && !db.data_dir().join("demo.json").exists());
}

on_sqlite!(
    the_demo_prints_a_working_key,
    the_demos_secrets_are_readable_by_their_owner_only,
    the_demo_keeps_its_key_while_it_works,
    the_demo_begins_with_examples,
    the_demo_refuses_public_addresses,
);
on_postgres!(the_demo_refuses_a_production_database);
