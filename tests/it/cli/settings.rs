//! Settings and migrations: how a deployment is put together, and what it says when that fails.

use std::path::Path;

use migration::Migrator;
use sea_orm_migration::MigratorTrait;
use serde_json::json;

use crate::harness::{Db, Server, inv, on_both, on_sqlite};

async fn migrating_twice_changes_nothing(db: Db) {
    for _ in 0..2 {
        assert_eq!(db.cli(&["migrate"]).await, json!({ "migrated": true }));
    }
    let account = db.account(3).await;
    db.cli(&["price", "set", "text", "0.75"]).await;
    db.cli(&["migrate"]).await;
    assert_eq!(db.cli(&["price", "list"]).await["prices"]["text"], 0.75, "a set price is kept");
    assert_eq!(inv::balance(&db, &account.id).await, 3_000);
}

async fn an_older_database_is_brought_up_to_date_with_all_that_is_in_it(db: Db) {
    let account = db.account(3).await;
    // Back to the first version, with rows as it would have left them.
    let connection = db.connect().await;
    let newer = Migrator::migrations().len() as u32 - 1;
    Migrator::down(&connection, Some(newer)).await.unwrap();
    connection.close().await.unwrap();
    let server = Server::start(&db).await;
    assert_eq!(server.moderate(&account.key, "hello").idempotent("k").send().await.remaining(), 2_500);
}

async fn replicas_may_start_together_on_an_empty_database(db: Db) {
    let first = Server::with(&db);
    let (one, two, three) = tokio::join!(first.clone().start(), first.clone().start(), first.clone().start());
    for server in [one, two, three] {
        assert_eq!(server.get("/readyz").send().await.ok()["ready"], true);
    }
}

async fn the_defaults_are_a_settings_file_that_says_what_each_setting_means(db: Db) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("config.default.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut explained = false;
    for line in text.lines() {
        if line.contains(" = ") && !line.starts_with('#') {
            assert!(explained, "nothing explains {line:?}");
        }
        // A comment may explain a few settings together.
        explained = line.starts_with("# ") || (explained && !line.is_empty());
    }
    let server = Server::with(&db).args(&["--config", file.to_str().unwrap(), "serve"]).start().await;
    assert_eq!(server.get("/readyz").send().await.ok()["ready"], true);
}

async fn a_file_wins_over_the_defaults_and_the_environment_over_the_file(db: Db) {
    let file = db.log_dir().join("gavel.toml");
    std::fs::write(&file, "batch_messages = 3\nrate_limit_per_minute = 9\n").unwrap();
    let server = Server::with(&db).env("GAVEL_CONFIG", file.display()).env("GAVEL_BATCH_MESSAGES", 2);
    let server = server.start().await;
    let account = server.account(5).await;
    let body = json!({ "messages": vec![json!({ "content": "hello" }); 3] });
    let refused = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await;
    assert_eq!(refused.fails(422, "VALIDATION_FAILED"), "messages must hold 1 to 2 messages, not 3");
    assert_eq!(refused.header("ratelimit-policy"), Some("\"default\";q=9;w=60"));
}

async fn settings_that_are_wrong_are_named(db: Db) {
    let file = db.log_dir().join("gavel.toml");
    for (content, env, named) in [
        ("lisen = \"127.0.0.1:1\"", ("GAVEL_LOG", "info"), "lisen"),
        ("listen = 5", ("GAVEL_LOG", "info"), "listen"),
        ("", ("GAVEL_LISTEN", "nowhere"), "listen"),
        ("", ("GAVEL_BATCH_MESSAGES", "-1"), "batch_messages"),
        ("", ("GAVEL_LOG_FORMAT", "xml"), "log_format"),
        ("", ("GAVEL_DATABASE_URL", "mysql://root@127.0.0.1/x"), "database"),
        ("", ("GAVEL_DATABASE_URL", "postgres://postgres@127.0.0.1:1/x"), "database"),
    ] {
        std::fs::write(&file, content).unwrap();
        let ran = db.run(&["--config", file.to_str().unwrap(), "migrate", "--json"], &[env], "").await;
        assert_eq!(ran.status.code(), Some(1), "{content:?} {env:?}: {ran:?}");
        assert!(ran.stderr.to_lowercase().contains(named), "{content:?} {env:?}: {}", ran.stderr);
    }
    let missing = db.run(&["--config", "/no/such/file", "migrate", "--json"], &[], "").await;
    assert!(
        missing.stderr.contains("/no/such/file") && missing.status.code() == Some(1),
        "{}",
        missing.stderr
    );
}

async fn an_address_in_use_is_named(db: Db) {
    let server = Server::start(&db).await;
    let listen = server.address.to_string();
    let ran = db.run(&["serve", "--json"], &[("GAVEL_LISTEN", &listen)], "").await;
    assert_eq!(ran.status.code(), Some(1));
    assert!(ran.stderr.contains(&listen), "{}", ran.stderr);
}

on_both!(
    migrating_twice_changes_nothing,
    an_older_database_is_brought_up_to_date_with_all_that_is_in_it,
    replicas_may_start_together_on_an_empty_database
);
on_sqlite!(
    the_defaults_are_a_settings_file_that_says_what_each_setting_means,
    a_file_wins_over_the_defaults_and_the_environment_over_the_file,
    settings_that_are_wrong_are_named,
    an_address_in_use_is_named,
);
