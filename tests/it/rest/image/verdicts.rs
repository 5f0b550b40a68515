//! Verdicts depend on the operator's thresholds and on faces, but not on the runtime or the file format.

use serde_json::{Value, json};

use crate::harness::{
    Db, Server, on_sqlite,
    picture::{fixture, gradient},
};

/// Moderates a picture with these thresholds, of which 0 is always reached and 2 never; returns which
/// categories are flagged.
async fn flags(db: &Db, nudity: &str, drawn: &str, suggestive: &str) -> [Value; 2] {
    let server = Server::with(db)
        .env("GAVEL_IMAGE_NUDITY_THRESHOLD", nudity)
        .env("GAVEL_IMAGE_DRAWN_NUDITY_THRESHOLD", drawn)
        .env("GAVEL_IMAGE_SUGGESTIVE_THRESHOLD", suggestive);
    let server = server.start().await;
    let account = server.account(1).await;
    let data = server.upload(&account.key, &gradient(64, 64)).send().await.ok()["data"].take();
    let flagged = ["nudity", "drawn_nudity"].map(|category| data["categories"][category]["flagged"].clone());
    assert_eq!(data["is_flagged"], json!(flagged.contains(&json!(true))), "{data}");
    let start = if data["is_flagged"] == json!(true) { "Flagged: " } else { "Not flagged: " };
    assert!(data["summary"].as_str().unwrap().starts_with(start), "{data}");
    for (category, label, threshold) in [
        ("nudity", "explicit", nudity),
        ("nudity", "suggestive", suggestive),
        ("drawn_nudity", "explicit_drawing", drawn),
    ] {
        let labels = data["categories"][category]["labels"].as_array().unwrap();
        assert_eq!(labels.contains(&json!(label)), threshold == "0", "{data}");
    }
    flagged
}

async fn an_operators_thresholds_decide(db: Db) {
    assert_eq!(flags(&db, "2", "2", "2").await, [false, false]);
    assert_eq!(flags(&db, "0", "2", "2").await, [true, false]);
    assert_eq!(flags(&db, "2", "0", "2").await, [false, true]);
    assert_eq!(flags(&db, "2", "2", "0").await, [true, false]);
}

async fn both_runtimes_give_the_same_verdict(db: Db) {
    let server = Server::start(&db).await;
    let alone = Server::with(&db).env("GAVEL_ONNX_RUNTIME", "off").start().await;
    let account = server.account(100).await;
    for picture in
        [gradient(640, 480), fixture("rgb8.png"), fixture("lossy.webp"), fixture("orientation-6.jpg")]
    {
        let mut answers = Vec::new();
        for server in [&server, &alone] {
            answers.push(server.upload(&account.key, &picture).send().await.ok()["data"].take());
        }
        let [with_library, without] =
            [0, 1].map(|n: usize| answers[n]["meta"]["model_backend"].as_str().unwrap().to_lowercase());
        assert!(without.contains("rten"), "{}", without);
        let library = format!("{}/libonnxruntime.so", Db::MODELS_DIR);
        if std::path::Path::new(&library).exists() {
            assert!(with_library.contains("onnxruntime"), "{}", with_library);
        }
        let [one, other] = [&answers[0], &answers[1]].map(|data| {
            let mut classes: Vec<_> = data["classifications"].as_array().unwrap().clone();
            classes.sort_by_key(|class| class["className"].as_str().unwrap().to_owned());
            classes
        });
        for (one, other) in one.iter().zip(&other) {
            let [p, q] = [one, other].map(|class| class["probability"].as_f64().unwrap());
            assert!((p - q).abs() <= 1e-3, "{one} {other}");
        }
    }
}

async fn every_kind_of_jpeg_png_and_webp_is_moderated(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1_000).await;
    let readable: Value = serde_json::from_slice(&fixture("expected.json")).unwrap();
    let readable = readable.as_object().unwrap();
    assert!(readable.len() > 40);
    for name in readable.keys() {
        let answer = server.upload(&account.key, &fixture(name)).send().await;
        assert_eq!(answer.status, 200, "{name}: {}", answer.text);
    }
}

/// Moderates a picture of a face with this threshold for minors.
async fn moderate_face(db: &Db, threshold: &str) -> Value {
    let server = Server::with(db).env("GAVEL_IMAGE_MINOR_THRESHOLD", threshold).start().await;
    let account = server.account(1).await;
    // A photograph of a woman of 37 years.
    server.upload(&account.key, &fixture("astronaut.jpg")).send().await.ok()["data"].take()
}

async fn a_face_is_given_an_age_with_its_uncertainty(db: Db) {
    let data = moderate_face(&db, "0.5").await;
    let found = &data["categories"]["age_estimation"];
    assert_eq!((&found["face_detected"], &found["is_minor"]), (&json!(true), &json!(false)), "{found}");
    let years = found["estimated_age"].as_u64().unwrap();
    assert!((25..=40).contains(&years), "{found}");
    let range = found["age_range"].as_str().unwrap();
    let (from, to) = range.split_once('-').unwrap();
    let from: u64 = from.parse().unwrap();
    let to: u64 = to.parse().unwrap();
    assert!(from < years && years < to && to - from >= 5, "{found}");
    let confidence = found["confidence"].as_f64().unwrap();
    assert!(confidence > 0.5 && confidence < 1.0, "{found}");
    assert_eq!(data["is_flagged"], false, "{data}");
    let summary = data["summary"].as_str().unwrap();
    assert!(summary.ends_with(&format!(". One face, about {years} years old ({range}).")), "{summary}");
    // Even if everybody counts as a minor, a picture without sexual content is not flagged.
    let data = moderate_face(&db, "0").await;
    assert_eq!(data["categories"]["age_estimation"]["is_minor"], true, "{data}");
    assert_eq!(data["is_flagged"], false, "{data}");
    assert!(data["summary"].as_str().unwrap().ends_with(", likely a minor."), "{data}");
}

on_sqlite!(
    an_operators_thresholds_decide,
    a_face_is_given_an_age_with_its_uncertainty,
    both_runtimes_give_the_same_verdict,
    every_kind_of_jpeg_png_and_webp_is_moderated,
);
