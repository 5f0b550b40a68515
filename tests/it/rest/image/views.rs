//! What a file shows beyond its first whole picture: one that ends early, one behind transparency, and frames.

use serde_json::{Value, json};

use crate::harness::{
    Db, Server, on_sqlite,
    picture::{fixture, transparent_png},
};

async fn meta(server: &Server, key: &str, picture: &[u8]) -> Value {
    server.upload(key, picture).send().await.ok()["data"]["meta"].clone()
}

async fn pictures_that_end_early_are_judged_by_what_is_there(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    // A PNG ends with 16 bytes without pixels.
    for (name, missing) in [
        ("rgb.jpg", 16),
        ("progressive.jpg", 16),
        ("astronaut.jpg", 16),
        ("rgb8.png", 40),
        ("rgb16-interlaced.png", 40),
        ("lossy.webp", 16),
    ] {
        let whole = fixture(name);
        assert_eq!(meta(&server, &account.key, &whole).await.get("truncated"), None, "{name}");
        let shorter = &whole[..whole.len() - missing];
        assert_eq!(meta(&server, &account.key, shorter).await["truncated"], true, "{name}");
    }
    let face = fixture("astronaut.jpg");
    for part in [60, 90] {
        let answer = server.upload(&account.key, &face[..face.len() * part / 100]).send().await.ok();
        assert_eq!(answer["data"]["meta"]["truncated"], true);
        let found = &answer["data"]["categories"]["age_estimation"]["face_detected"];
        assert_eq!(found, true, "the face is in the upper half: {answer}");
    }
}

async fn a_transparent_picture_is_judged_on_white_and_on_black(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    // White in every pixel, with the picture in the alpha channel: on white there is nothing to see.
    let hidden = transparent_png(&fixture("astronaut.jpg"));
    let seen = meta(&server, &account.key, &hidden).await;
    assert!([json!("white"), json!("black")].contains(&seen["background"]), "{seen}");
    assert_eq!(meta(&server, &account.key, &fixture("rgb8.png")).await.get("background"), None);
}

async fn frames_of_an_animation_are_judged(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    for name in ["animated.png", "animated.webp"] {
        let seen = meta(&server, &account.key, &fixture(name)).await;
        let frames = seen["frames"].as_u64().unwrap_or_else(|| panic!("{name}: {seen}"));
        assert!(frames > 1 && seen["frame"].as_u64().unwrap() < frames, "{name}: {seen}");
    }
    assert_eq!(meta(&server, &account.key, &fixture("rgb8.png")).await.get("frames"), None);
}

on_sqlite!(
    pictures_that_end_early_are_judged_by_what_is_there,
    a_transparent_picture_is_judged_on_white_and_on_black,
    frames_of_an_animation_are_judged,
);
