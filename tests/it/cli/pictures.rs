//! Image moderation without a server.

use serde_json::Value;

use crate::harness::{
    Db, Server, on_sqlite,
    picture::{fixture, gradient},
};

async fn a_picture_is_moderated_without_a_server_or_a_database(db: Db) {
    let picture = gradient(320, 200);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &picture).unwrap();
    let path = file.path().to_str().unwrap();
    let verdict = db.cli(&["moderate", "image", path]).await;
    assert_eq!(verdict["is_flagged"], false, "{verdict}");
    assert!(verdict["model_backend"].as_str().unwrap().starts_with("nsfwjs-"), "{verdict}");
    assert!(!db.data_dir().exists(), "nothing is written");

    let piped = db.run(&["moderate", "image", "-", "--json"], &[], &picture).await;
    assert_eq!(serde_json::from_str::<Value>(&piped.stdout).unwrap(), verdict, "{}", piped.stderr);
    let text = db.run(&["moderate", "image", path], &[], "").await;
    assert!(text.status.success() && text.stdout.starts_with("Not flagged: "), "{}", text.stdout);
    let strict = [("GAVEL_IMAGE_NUDITY_THRESHOLD", "0")];
    let flagged = db.run(&["moderate", "image", path], &strict, "").await;
    assert!(flagged.stdout.starts_with("Flagged: "), "{}", flagged.stdout);
}

async fn the_command_line_and_the_server_agree_on_a_picture(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(2).await;
    for picture in ["rgb8.png", "astronaut.jpg"] {
        let picture = fixture(picture);
        let mut served = server.upload(&account.key, &picture).send().await.ok()["data"].take();
        let meta = served.as_object_mut().unwrap().remove("meta").unwrap();
        served["model_backend"] = meta["model_backend"].clone();
        let alone = db.run(&["moderate", "image", "-", "--json"], &[], &picture).await;
        assert_eq!(serde_json::from_str::<Value>(&alone.stdout).unwrap(), served);
    }
}

async fn files_that_are_not_pictures_are_refused_as_by_the_server(db: Db) {
    for (input, words) in [
        (b"just words".to_vec(), "the file is not a JPEG, PNG or WebP image"),
        (b"GIF89a".to_vec(), "the file is a GIF; send a JPEG, PNG or WebP"),
        (fixture("rgb.jpg")[..300].to_vec(), "the JPEG is truncated"),
        (vec![0; (10 << 20) + 1], "an image may have at most 10485760 bytes"),
    ] {
        let ran = db.run(&["moderate", "image", "-"], &[], &input).await;
        assert_eq!(ran.status.code(), Some(1), "{words}");
        assert_eq!((ran.stdout.as_str(), ran.stderr.trim_end()), ("", format!("error: {words}").as_str()));
    }
    let json = db.run(&["moderate", "image", "-", "--json"], &[], "just words").await;
    let error: Value = serde_json::from_str(&json.stderr).unwrap();
    assert_eq!((json.status.code(), error["code"].as_str()), (Some(1), Some("INVALID_IMAGE")));
    let missing = db.cli_fails(&["moderate", "image", "/nowhere/picture.jpg"]).await;
    assert!(missing["error"].as_str().unwrap().contains("/nowhere/picture.jpg"), "{missing}");
}

async fn without_models_it_explains_how_to_install_them(db: Db) {
    let empty = tempfile::tempdir().unwrap();
    let env = [("GAVEL_MODELS_DIR", empty.path().to_str().unwrap())];
    let ran = db.run(&["moderate", "image", "-"], &env, fixture("rgb.jpg")).await;
    assert_eq!((ran.status.code(), ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("`gavel models install`"), "{}", ran.stderr);
    let file = empty.path().join("nsfwjs-mobilenet-v2-mid.json");
    assert!(ran.stderr.contains(file.to_str().unwrap()), "{}", ran.stderr);
}

on_sqlite!(
    a_picture_is_moderated_without_a_server_or_a_database,
    the_command_line_and_the_server_agree_on_a_picture,
    files_that_are_not_pictures_are_refused_as_by_the_server,
    without_models_it_explains_how_to_install_them,
);
