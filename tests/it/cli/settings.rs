//! Settings and migrations: how a deployment is configured, and its errors when that fails.

use std::path::Path;

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

async fn replicas_can_start_together_on_an_empty_database(db: Db) {
    let first = Server::with(&db);
    let (one, two, three) = tokio::join!(first.clone().start(), first.clone().start(), first.clone().start());
    for server in [one, two, three] {
        assert_eq!(server.get("/readyz").send().await.ok()["ready"], true);
    }
}

async fn the_defaults_are_a_documented_settings_file(db: Db) {
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

async fn the_environment_overrides_the_file_and_the_file_the_defaults(db: Db) {
    let file = db.log_dir().join("gavel.toml");
    std::fs::write(&file, "batch_messages = 3\nrate_limit_per_minute = 9\n").unwrap();
    let server = Server::with(&db).env("GAVEL_CONFIG", file.display()).env("GAVEL_BATCH_MESSAGES", 2);
    let server = server.start().await;
    let account = server.account(5).await;
    let body = json!({ "messages": vec![json!({ "content": "hello" }); 3] });
    let refused = server.post("/api/v1/moderate/text/batch").key(&account.key).json(body).send().await;
    assert_eq!(refused.fails(422, "VALIDATION_FAILED"), "messages must have 1 to 2 items, not 3");
    assert_eq!(refused.header("ratelimit-policy"), Some("\"account\";q=9;w=60"));
}

async fn wrong_settings_are_named(db: Db) {
    let file = db.log_dir().join("gavel.toml");
    for (content, env, named) in [
        ("lisen = \"127.0.0.1:1\"", ("GAVEL_LOG", "info"), "lisen"),
        ("listen = 5", ("GAVEL_LOG", "info"), "listen"),
        ("", ("GAVEL_LISTEN", "nowhere"), "listen"),
        ("", ("GAVEL_BATCH_MESSAGES", "-1"), "batch_messages"),
        ("", ("GAVEL_LOG_FORMAT", "xml"), "log_format"),
        ("", ("GAVEL_LISEN", "127.0.0.1:1"), "gavel_lisen"),
        ("", ("GAVEL_DATABASE_POOL", "0"), "database_pool must be from 1 to 1000, not 0"),
        ("", ("GAVEL_CONNECTIONS", "0"), "connections must be from 1 to 1000000, not 0"),
        ("", ("GAVEL_BACKEND_TIMEOUT_S", "100"), "backend_timeout_s must be from 1 to 25, not 100"),
        (
            "image_minor_threshold = 7",
            ("GAVEL_API_KEY", "x"),
            "image_minor_threshold must be from 0 to 1, not 7",
        ),
        ("", ("GAVEL_LOG", "inf"), "log must be error, warn, info"),
        ("", ("GAVEL_LOG", "info,inf"), "not `inf`"),
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

async fn an_unusable_database_is_named_quickly_without_its_password(db: Db) {
    // A closed port; a server that never answers, as behind a firewall; an unknown scheme; an invalid port.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = silent.local_addr().unwrap().to_string();
    for (url, named) in [
        ("postgres://gavel:hunter22secret@127.0.0.1:1/x".to_owned(), "127.0.0.1:1"),
        (format!("postgres://gavel:hunter22secret@{silent}/x"), silent.as_str()),
        ("postgrs://gavel:hunter22secret@127.0.0.1:1/x".to_owned(), "database_url"),
        ("postgres://gavel:hunter22secret@127.0.0.1:99999/x".to_owned(), "database_url"),
    ] {
        let start = std::time::Instant::now();
        let ran =
            db.run(&["serve"], &[("GAVEL_DATABASE_URL", &url), ("GAVEL_LISTEN", "127.0.0.1:0")], "").await;
        assert_eq!(ran.status.code(), Some(1), "{url}: {ran:?}");
        assert!(ran.stderr.contains(named), "{url}: {}", ran.stderr);
        assert!(!ran.stderr.contains("hunter22secret"), "{}", ran.stderr);
        assert!(start.elapsed().as_secs_f64() < 3.5, "{url}: named after {:?}", start.elapsed());
    }
}

async fn the_database_file_is_readable_by_its_owner_only(db: Db) {
    use std::os::unix::fs::PermissionsExt;
    let file = db.log_dir().join("elsewhere.sqlite");
    let url = format!("sqlite://{}", file.display());
    let server = Server::with(&db).env("GAVEL_DATABASE_URL", url).start().await;
    for file in [file.clone(), file.with_extension("sqlite-wal")] {
        let mode =
            std::fs::metadata(&file).unwrap_or_else(|error| panic!("{file:?}: {error}")).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file:?}");
    }
    drop(server);
}

async fn a_stopping_server_is_unready_before_it_refuses_requests(db: Db) {
    let mut server = Server::with(&db).env("GAVEL_DRAIN_DELAY_S", 3).start().await;
    let account = server.account(5).await;
    server.signal("TERM");
    crate::harness::eventually("it is no longer ready", async || {
        (server.get("/readyz").send().await.status == 503).then_some(())
    })
    .await;
    assert_eq!(server.moderate(&account.key, "still answered").send().await.status, 200);
    assert!(server.ended().await.success());
}

async fn the_clients_request_id_is_logged_beside_ours(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(5).await;
    let answer = server.moderate(&account.key, "hello").header("x-request-id", "client-42/a").send().await;
    let ours = answer.request_id().to_owned();
    server.moderate(&account.key, "hello").header("x-request-id", "no \"good\"").send().await.ok();
    let log = server.log();
    let line = log.lines().find(|line| line.contains("client-42/a")).expect("a line with the id");
    assert!(line.contains(&ours) && ours.starts_with("req_"), "{line}");
    assert!(!log.contains("good"), "only plain-text ids are logged");
}

async fn metrics_are_described_and_name_the_build(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(5).await;
    server.moderate(&account.key, "hello").send().await.ok();
    let version = format!("gavel_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"));
    crate::harness::eventually("the process metrics are present", async || {
        let metrics = server.get("/metrics").send().await.text;
        let all = [
            version.as_str(),
            "# HELP gavel_requests_total ",
            "# HELP gavel_actions_total ",
            "gavel_actions_total{action=\"none\"} 1",
            "gavel_millicredits_total{kind=\"charge\"} 500",
            "process_resident_memory_bytes ",
            "process_cpu_seconds_total ",
            "process_open_fds ",
        ];
        all.iter().all(|line| metrics.contains(line)).then_some(())
    })
    .await;
    let metrics = server.get("/metrics").send().await.text;
    for line in metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        assert!(metrics.contains(&format!("# HELP {name} ")), "{name} has no HELP");
        assert_eq!(name.ends_with("_total"), kind == "counter", "{name} is a {kind}");
    }
}

async fn passwords_are_read_from_stdin(db: Db) {
    let password = "a pass phrase of many words";
    let create = ["account", "create", "--email", "somebody@example.test", "--password-stdin", "--json"];
    let made = db.run(&create, &[], format!("{password}\n")).await;
    assert!(made.status.success() && !made.stdout.contains(password), "{made:?}");
    let reset = ["user", "reset-password", "--email", "somebody@example.test", "--password-stdin", "--json"];
    let nothing = db.run(&reset, &[], "").await;
    assert!(nothing.stderr.contains("stdin has no password"), "{}", nothing.stderr);
    let server = Server::start(&db).await;
    let query = "mutation($input: SignInInput!) { signIn(input: $input) { userErrors { code } } }";
    let input = json!({ "input": { "email": "somebody@example.test", "password": password } });
    let answer = server.graphql(query, input).send().await;
    assert!(answer.header("set-cookie").is_some(), "{}", answer.text);
}

async fn an_address_in_use_is_named(db: Db) {
    let server = Server::start(&db).await;
    let listen = server.address.to_string();
    let ran = db.run(&["serve", "--json"], &[("GAVEL_LISTEN", &listen)], "").await;
    assert_eq!(ran.status.code(), Some(1));
    assert!(ran.stderr.contains(&listen), "{}", ran.stderr);
}

on_both!(migrating_twice_changes_nothing, replicas_can_start_together_on_an_empty_database);
on_sqlite!(
    the_defaults_are_a_documented_settings_file,
    the_environment_overrides_the_file_and_the_file_the_defaults,
    wrong_settings_are_named,
    an_unusable_database_is_named_quickly_without_its_password,
    the_database_file_is_readable_by_its_owner_only,
    a_stopping_server_is_unready_before_it_refuses_requests,
    the_clients_request_id_is_logged_beside_ours,
    metrics_are_described_and_name_the_build,
    passwords_are_read_from_stdin,
    an_address_in_use_is_named,
);
