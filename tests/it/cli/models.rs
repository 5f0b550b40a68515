//! Text moderation without a server, and `gavel models`.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

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

async fn messages_that_cannot_be_moderated_are_refused(db: Db) {
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

async fn models_have_names_versions_and_verifiable_hashes(db: Db) {
    let listed = db.cli(&["models", "list"]).await;
    let models = listed["models"].as_array().unwrap();
    for origin in ["built_in", "installed"] {
        assert!(models.iter().any(|model| model["origin"] == origin), "{origin}");
    }
    for model in models.iter().filter(|model| model["name"] != "libonnxruntime") {
        assert_eq!(model["sha256"].as_str().unwrap().len(), 64, "{model}");
        assert_eq!(model["intact"], true, "{model}");
        assert!(
            model["name"].is_string() && model["version"].is_string() && model["bytes"].as_u64() > Some(0)
        );
    }
    assert_eq!(db.cli(&["models", "verify"]).await, listed);
}

async fn missing_models_are_listed_and_reported_by_verify(db: Db) {
    let dir = db.as_ref().join("none");
    let listed = models(&db, &dir, "list").await.unwrap();
    assert_eq!(state(&listed, "face-age"), "missing");
    assert_eq!(state(&listed, "gavel-text-native"), "intact");
    let error = models(&db, &dir, "verify").await.unwrap_err();
    assert!(
        error.contains("face-age.onnx is missing") && error.contains("`gavel models install`"),
        "{error}"
    );
    assert!(!error.contains("libonnxruntime"), "libonnxruntime is optional: {error}");
    assert!(!dir.exists(), "neither writes anything");
}

async fn one_changed_byte_is_detected(db: Db) {
    let dir = installed(&db);
    let path = dir.join("face-detector.onnx");
    let whole = std::fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    flipped[300_000] ^= 1;
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, flipped).unwrap();
    let manifest = dir.join("nsfwjs-mobilenet-v2.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::remove_file(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("224", "225")).unwrap();

    let listed = models(&db, &dir, "list").await.unwrap();
    let altered: Vec<_> =
        listed["models"].as_array().unwrap().iter().filter(|m| m["state"] == "altered").collect();
    let names: Vec<_> = altered.iter().map(|model| &model["name"]).collect();
    assert_eq!(names, ["nsfwjs-mobilenet-v2", "face-detector"]);
    let error = models(&db, &dir, "verify").await.unwrap_err();
    assert!(error.contains("face-detector.onnx has the SHA-256") && !error.contains("face-age"), "{error}");
    assert!(error.contains("nsfwjs-mobilenet-v2.json has been changed"), "{error}");
}

async fn own_models_are_listed_with_their_faults(db: Db) {
    let dir = installed(&db);
    let manifest = std::fs::read_to_string(dir.join("nsfwjs-mobilenet-v2.json")).unwrap();
    std::fs::write(
        dir.join("mine.json"),
        manifest.replace("nsfwjs-mobilenet-v2", "mine").replace("4.4.0", "7"),
    )
    .unwrap();
    std::fs::write(dir.join("mine.onnx"), "weights").unwrap();
    std::fs::write(dir.join("weightless.json"), "{}").unwrap();
    let verified = models(&db, &dir, "verify").await.unwrap();
    let own: Vec<_> =
        verified["models"].as_array().unwrap().iter().filter(|model| model["origin"] == "own").collect();
    assert_eq!(own.len(), 1, "a JSON file alone is no model");
    let expected =
        json!({ "name": "mine", "version": "7", "file": "mine.onnx", "bytes": 7, "state": "unpinned" });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&own[0][field], value, "{field}");
    }

    std::fs::write(dir.join("mine.json"), manifest).unwrap();
    let error = models(&db, &dir, "verify").await.unwrap_err();
    assert!(error.contains("mine.json: `name`") && !error.contains("models install"), "{error}");
}

async fn installed_models_are_not_fetched_again(db: Db) {
    let dir = installed(&db);
    std::fs::remove_file(dir.join("nsfwjs-inception-v3.json")).unwrap();
    let (done, said) = install(&db, &dir, &[("npm", "exit 9")], &[]).await;
    assert!(done && !said.contains("npm"), "{said}");
    models(&db, &dir, "verify").await.unwrap();
}

async fn unavailable_packages_are_named(db: Db) {
    let dir = installed(&db);
    std::fs::remove_file(dir.join("face-age.onnx")).unwrap();
    let refusing = "echo npm error code E1 >&2; echo npm error no route >&2; exit 1";
    for (programs, args, expected) in [
        (&[][..], &[][..], "@vladmandic/face-api 1.7.15: npm is not installed"),
        (&[("npm", refusing)], &[], "@vladmandic/face-api 1.7.15: npm error no route"),
        (&[("npm", "exit 0")], &[], "did not write vladmandic-face-api-1.7.15.tgz"),
        (&[], &["--from", "nowhere"], "nowhere/vladmandic-face-api-1.7.15.tgz: "),
    ] {
        let (done, said) = install(&db, &dir, programs, args).await;
        assert!(!done && said.contains(expected), "{said}");
    }
}

async fn a_package_with_another_hash_is_refused(db: Db) {
    let dir = installed(&db);
    std::fs::remove_file(dir.join("face-age.onnx")).unwrap();
    let npm = r#"[ "$1" = pack ] && printf forged > vladmandic-face-api-1.7.15.tgz"#;
    let (done, said) = install(&db, &dir, &[("npm", npm)], &[]).await;
    let complaint = "vladmandic-face-api-1.7.15.tgz does not match models.lock: expected sha512-WDMmK3";
    assert!(!done && said.contains(complaint) && said.contains(", found sha512-"), "{said}");
    assert!(!dir.join("face-age.onnx").exists());
}

async fn onnx_runtime_can_be_omitted(db: Db) {
    let dir = installed(&db);
    let _ = std::fs::remove_file(dir.join("libonnxruntime.so"));
    let no_pip = ("python3", "echo No module named pip >&2; exit 1");
    for programs in [&[][..], &[no_pip], &[no_pip, ("pip3", "exit 1")]] {
        let (done, said) = install(&db, &dir, programs, &[]).await;
        assert!(done, "{said}");
        assert!(said.contains("Gavel works without it") || said.contains("has no package"), "{said}");
    }
    models(&db, &dir, "verify").await.unwrap();
}

/// A folder with links to all installed models, so that a test can replace some.
fn installed(db: &Db) -> PathBuf {
    let dir = db.as_ref().join("models");
    std::fs::create_dir(&dir).unwrap();
    for file in std::fs::read_dir(Db::MODELS_DIR).expect("the models, which `make models` fetches") {
        let file = file.unwrap();
        std::os::unix::fs::symlink(file.path(), dir.join(file.file_name())).unwrap();
    }
    dir
}

/// Runs `gavel models COMMAND --json` on a folder; returns its output or its error message.
async fn models(db: &Db, dir: &Path, command: &str) -> Result<Value, String> {
    let env = [("GAVEL_MODELS_DIR", dir.to_str().unwrap())];
    let ran = db.run(&["models", command, "--json"], &env, "").await;
    match ran.status.code() {
        Some(0) => Ok(serde_json::from_str(&ran.stdout).unwrap()),
        _ => Err(serde_json::from_str::<Value>(&ran.stderr).unwrap()["error"].as_str().unwrap().to_owned()),
    }
}

/// Runs `gavel models install` on a folder with only `programs` (name and shell script) in PATH; returns whether it
/// succeeds, and its stderr.
async fn install(db: &Db, dir: &Path, programs: &[(&str, &str)], args: &[&str]) -> (bool, String) {
    let bin = tempfile::tempdir().unwrap();
    for (name, script) in programs {
        let path = bin.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let env = [("GAVEL_MODELS_DIR", dir.to_str().unwrap()), ("PATH", bin.path().to_str().unwrap())];
    let ran = db.run(&[&["models", "install"], args].concat(), &env, "").await;
    (ran.status.success(), ran.stderr)
}

fn state(listed: &Value, name: &str) -> String {
    let mut models = listed["models"].as_array().unwrap().iter();
    models.find(|model| model["name"] == name).unwrap()["state"].as_str().unwrap().to_owned()
}

on_sqlite!(
    a_message_is_moderated_without_a_server_or_a_database,
    the_command_line_and_the_server_agree,
    messages_that_cannot_be_moderated_are_refused,
    models_have_names_versions_and_verifiable_hashes,
    missing_models_are_listed_and_reported_by_verify,
    one_changed_byte_is_detected,
    own_models_are_listed_with_their_faults,
    installed_models_are_not_fetched_again,
    unavailable_packages_are_named,
    a_package_with_another_hash_is_refused,
    onnx_runtime_can_be_omitted,
);
