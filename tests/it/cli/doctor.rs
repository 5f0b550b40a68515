//! `gavel doctor`: what is wrong with an installation, and what to do.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::{Value, json};

use crate::harness::{
    Db, MailServer, RedisServer, Server, from_environment, on_both, on_postgres, on_sqlite,
};

/// Runs `gavel doctor`; returns its exit code and what it printed.
async fn doctor(db: &Db, env: &[(&str, &str)]) -> Report {
    let ran = db.run(&["doctor", "--json"], env, "").await;
    assert_eq!(ran.stderr, "", "the report is on stdout");
    Report { code: ran.status.code().unwrap(), printed: serde_json::from_str(&ran.stdout).unwrap() }
}

struct Report {
    code: i32,
    printed: Value,
}

impl Report {
    fn check(&self, name: &str) -> &Value {
        let checks = self.printed["checks"].as_array().unwrap();
        checks
            .iter()
            .find(|check| check["check"] == name)
            .unwrap_or_else(|| panic!("{name}: {}", self.printed))
    }

    /// The check ended so, and says this.
    #[track_caller]
    fn says(&self, name: &str, state: &str, found: &str) {
        let check = self.check(name);
        assert_eq!(check["state"], state, "{check}");
        assert!(check["found"].as_str().unwrap().contains(found), "{check}");
        assert_eq!(check["advice"].is_null(), state == "ok", "{check}");
    }
}

async fn an_installation_in_order_passes(db: Db) {
    db.account(1).await;
    let report = doctor(&db, &[("GAVEL_LISTEN", "127.0.0.1:0")]).await;
    assert_eq!((report.code, &report.printed["ok"]), (0, &json!(true)), "{}", report.printed);
    for check in report.printed["checks"].as_array().unwrap() {
        assert_ne!(check["state"], "fail", "{check}");
    }
    report.says("database", "ok", "can be written");
    report.says("migrations", "ok", "all ");
    report.says("clock", "ok", " ms");
    report.says("permissions", "ok", "cannot read");
    report.says("models", "ok", "intact");
    for model in ["text", "pictures", "questions"] {
        report.says(model, "ok", "answers");
    }
    let text = db.run(&["doctor"], &[("GAVEL_LISTEN", "127.0.0.1:0")], "").await;
    let migrations = text.stdout.lines().find(|line| line.contains(" migrations ")).unwrap_or_default();
    assert!(text.status.success() && migrations.contains(" all "), "{}", text.stdout);
}

async fn nothing_is_created(db: Db) {
    let report = doctor(&db, &[]).await;
    assert_eq!(report.code, 0, "{}", report.printed);
    report.says("data_dir", "ok", "first start creates it");
    report.says("database", "ok", "first start creates it");
    assert!(!db.data_dir().exists());
}

async fn settings_that_do_not_work_are_named(db: Db) {
    for (setting, value, found) in [
        ("GAVEL_BATCH_MESSAGES", "-1", "batch_messages"),
        ("GAVEL_LOG", "inf", "log must be"),
        ("GAVEL_OPERATIONS_LISTEN", "nowhere", "operations_listen"),
        ("GAVEL_SMTP_URL", "smtp://127.0.0.1:25", "mail_from"),
        ("GAVEL_QUEUE_NAME", "a b", "queue_name"),
        ("GAVEL_WEBHOOK_ALLOW", "10.0.0.0/99", "webhook_allow"),
        ("GAVEL_TEXT_ESCALATE_BELOW", "0.9", "text_escalate_below"),
    ] {
        let report = doctor(&db, &[(setting, value)]).await;
        assert_eq!(report.code, 1, "{setting}");
        report.says("settings", "fail", found);
    }
}

async fn files_that_others_can_read_are_named(db: Db) {
    db.account(1).await;
    let file = db.data_dir().join("gavel.sqlite");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let settings = db.log_dir().join("gavel.toml");
    fs::write(&settings, "openrouter_api_key = \"sk-secret\"\n").unwrap();
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o644)).unwrap();
    // The server of the key is not asked.
    let env = [("GAVEL_CONFIG", settings.to_str().unwrap()), ("GAVEL_OPENROUTER_URL", "http://127.0.0.1:1")];
    let report = doctor(&db, &env).await;
    report.says("permissions", "warn", file.to_str().unwrap());
    report.says("permissions", "warn", settings.to_str().unwrap());
    assert!(!report.printed.to_string().contains("sk-secret"));
    report.says("questions", "fail", "OpenRouter");
    for file in [&file, &settings] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    doctor(&db, &env).await.says("permissions", "ok", "cannot read");
}

async fn models_that_are_missing_or_altered_are_named(db: Db) {
    let missing = db.log_dir();
    let report = doctor(&db, &[("GAVEL_MODELS_DIR", missing.to_str().unwrap())]).await;
    assert_eq!(report.code, 0, "text is moderated without them: {}", report.printed);
    report.says("models", "warn", "missing in ");
    report.says("text", "ok", "answers");
    let folder = tempfile::tempdir().unwrap();
    let altered = folder.path();
    let model = first_model(Path::new(Db::MODELS_DIR));
    fs::write(altered.join(&model), "something else").unwrap();
    let report = doctor(&db, &[("GAVEL_MODELS_DIR", altered.to_str().unwrap())]).await;
    assert_eq!(report.code, 1);
    report.says("models", "fail", &model);
    let library = doctor(&db, &[("GAVEL_ONNX_RUNTIME", "/no/such/library.so")]).await;
    library.says("runtime", "warn", "/no/such/library.so");
}

/// The name of an installed model.
fn first_model(folder: &Path) -> String {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".onnx")).min().expect("an installed model")
}

async fn servers_that_do_not_answer_are_named(db: Db) {
    let mail = MailServer::start().await;
    let server = Server::start(&db).await;
    let here = format!("http://{}", server.address);
    let url = mail.url();
    let env = [
        ("GAVEL_SMTP_URL", url.as_str()),
        ("GAVEL_MAIL_FROM", "gavel@example.test"),
        ("GAVEL_PUBLIC_URL", here.as_str()),
    ];
    let report = doctor(&db, &env).await;
    report.says("mail", "ok", "answers");
    report.says("public_url", "ok", &here);
    let gone = [
        ("GAVEL_SMTP_URL", "smtp://me:hunter22secret@127.0.0.1:1"),
        ("GAVEL_MAIL_FROM", "gavel@example.test"),
        ("GAVEL_PUBLIC_URL", "http://127.0.0.1:1"),
        ("GAVEL_REDIS_URL", "redis://:hunter22secret@127.0.0.1:1"),
    ];
    let report = doctor(&db, &gone).await;
    assert_eq!(report.code, 1);
    report.says("mail", "fail", "SMTP");
    report.says("public_url", "warn", "127.0.0.1:1");
    report.says("queue", "fail", "Redis does not answer");
    assert!(!report.printed.to_string().contains("hunter22secret"), "{}", report.printed);
}

async fn redis_answers(db: Db) {
    let redis = RedisServer::start();
    doctor(&db, &[("GAVEL_REDIS_URL", &redis.url())]).await.says("queue", "ok", "answers");
}

async fn a_database_that_cannot_be_reached_is_named(db: Db) {
    let url = "postgres://gavel:hunter22secret@127.0.0.1:1/x";
    let report = doctor(&db, &[("GAVEL_DATABASE_URL", url)]).await;
    assert_eq!(report.code, 1);
    report.says("database", "fail", "127.0.0.1:1");
    assert!(!report.printed.to_string().contains("hunter22secret"), "{}", report.printed);
}

async fn migrations_of_another_version_are_told(db: Db) {
    db.account(1).await;
    db.execute("INSERT INTO seaql_migrations (version, applied_at) VALUES ('m99991231_000001_later', 0)")
        .await;
    let report = doctor(&db, &[]).await;
    assert_eq!(report.code, 1);
    report.says("migrations", "fail", "m99991231_000001_later");
    db.execute("DELETE FROM seaql_migrations WHERE version LIKE 'm99991231%'").await;
    let newest = "(SELECT max(version) FROM seaql_migrations)";
    db.execute(&format!("DELETE FROM seaql_migrations WHERE version = {newest}")).await;
    let report = doctor(&db, &[]).await;
    assert_eq!(report.code, 0, "{}", report.printed);
    report.says("migrations", "warn", "1 of ");
}

async fn an_empty_database_waits_for_its_migrations(_: Db) {
    let empty = Db::postgres_at(&from_environment("GAVEL_TEST_POSTGRES_URL")).await;
    doctor(&empty, &[]).await.says("migrations", "warn", " pending");
}

on_both!(an_installation_in_order_passes, migrations_of_another_version_are_told);
on_postgres!(an_empty_database_waits_for_its_migrations, redis_answers);
on_sqlite!(
    nothing_is_created,
    settings_that_do_not_work_are_named,
    files_that_others_can_read_are_named,
    models_that_are_missing_or_altered_are_named,
    servers_that_do_not_answer_are_named,
    a_database_that_cannot_be_reached_is_named,
);
