//! What the verdict depends on: the operator's thresholds, a face, and nothing else such as the runtime or the format.

use serde_json::{Value, json};

use crate::harness::{
    Db, Server, on_sqlite,
    picture::{fixture, gradient},
};

async fn an_operators_thresholds_decide(db: Db) {
    let flags = async |nudity: &str, drawn: &str, suggestive: &str| {
        let server = Server::with(&db)
            .env("GAVEL_IMAGE_NUDITY_THRESHOLD", nudity)
            .env("GAVEL_IMAGE_DRAWN_NUDITY_THRESHOLD", drawn)
            .env("GAVEL_IMAGE_SUGGESTIVE_THRESHOLD", suggestive);
        let server = server.start().await;
        let account = server.account(1).await;
        let data = server.upload(&account.key, &gradient(64, 64)).send().await.ok()["data"].take();
        let flagged =
            ["nudity", "drawn_nudity"].map(|category| data["categories"][category]["flagged"].clone());
        assert_eq!(data["is_flagged"], json!(flagged.contains(&json!(true))), "{data}");
        let start = if data["is_flagged"] == json!(true) { "Flagged: " } else { "Not flagged: " };
        assert!(data["summary"].as_str().unwrap().starts_with(start), "{data}");
        let labels = |category: &str, label: &str| {
            data["categories"][category]["labels"].as_array().unwrap().contains(&json!(label))
        };
        assert_eq!(labels("nudity", "explicit"), nudity == "0", "{data}");
        assert_eq!(labels("nudity", "suggestive"), suggestive == "0", "{data}");
        assert_eq!(labels("drawn_nudity", "explicit_drawing"), drawn == "0", "{data}");
        flagged
    };
    assert_eq!(flags("2", "2", "2").await, [false, false]);
    assert_eq!(flags("0", "2", "2").await, [true, false]);
    assert_eq!(flags("2", "0", "2").await, [false, true]);
    assert_eq!(flags("2", "2", "0").await, [true, false]);
}

async fn both_runtimes_say_the_same(db: Db) {
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
        let backend = |data: &Value| data["meta"]["model_backend"].as_str().unwrap().to_lowercase();
        assert!(backend(&answers[1]).contains("rten"), "{}", backend(&answers[1]));
        let library = format!("{}/libonnxruntime.so", Db::MODELS_DIR);
        if std::path::Path::new(&library).exists() {
            assert!(backend(&answers[0]).contains("onnxruntime"), "{}", backend(&answers[0]));
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

async fn a_face_is_given_an_age_with_its_uncertainty(db: Db) {
    let age = async |threshold: &str| {
        let server = Server::with(&db).env("GAVEL_IMAGE_MINOR_THRESHOLD", threshold).start().await;
        let account = server.account(1).await;
        // A photograph of a woman of 37 years.
        server.upload(&account.key, &fixture("astronaut.jpg")).send().await.ok()["data"].take()
    };
    let data = age("0.5").await;
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
    // Where anybody counts as a minor, a picture without sexual content is not flagged for it.
    let data = age("0").await;
    assert_eq!(data["categories"]["age_estimation"]["is_minor"], true, "{data}");
    assert_eq!(data["is_flagged"], false, "{data}");
    assert!(data["summary"].as_str().unwrap().ends_with(", likely a minor."), "{data}");
}

on_sqlite!(
    an_operators_thresholds_decide,
    a_face_is_given_an_age_with_its_uncertainty,
    both_runtimes_say_the_same,
    every_kind_of_jpeg_png_and_webp_is_moderated,
);
