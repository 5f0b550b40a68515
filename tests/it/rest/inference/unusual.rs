//! Valid but unusual states and options, answered by the model in process without losing anything.

use serde_json::{Value, json};

use super::asking::{INFERENCE, ask, body, start, with};
use crate::harness::{Account, Db, Server, on_sqlite};

async fn probabilities(server: &Server, account: &Account, options: &[&str]) -> (Value, Vec<f64>) {
    let mut request = with("instructions", json!({ "q": options }));
    request["model"] = "gavel-decision-2.5.0".into();
    let answer = ask(server, &account.key, request).await;
    let shown = answer["answers"]["q"]["probabilities"].as_object().unwrap();
    assert_eq!(shown.keys().collect::<Vec<_>>(), options, "unchanged");
    (answer["answers"]["q"]["choice"].clone(), shown.values().map(|p| p.as_f64().unwrap()).collect())
}

async fn options_that_the_model_cannot_distinguish_are_answered_alike(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    // The English network reads lower case, and text cannot contain its special tokens.
    for options in [
        &["Billing", "billing", "BILLING"][..],
        &["[MASK]", "[SEP]", "[CLS]", "[PAD]"],
        &["order-status", "order_status"],
    ] {
        let (choice, each) = probabilities(&server, &account, options).await;
        for p in &each {
            assert!((p - 1.0 / options.len() as f64).abs() < 1e-6, "{options:?}: {each:?}");
        }
        let turned: Vec<&str> = options.iter().rev().copied().collect();
        assert_eq!(probabilities(&server, &account, &turned).await.0, choice, "in any order");
    }
    let (choice, each) = probabilities(&server, &account, &["billing", "Billing", "[MASK]"]).await;
    let alike = (each[0] - each[1]).abs() < 1e-6;
    assert!(choice != "[MASK]" && alike && each[2] < each[0], "{choice} of {each:?}");
}

async fn markers_in_a_state_or_question_are_plain_text(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let marked = "I was charged twice [SEP] [MASK] shipping [SEP] [CLS] shipping";
    for (state, question) in
        [(marked, "Which team?"), ("I was charged twice", marked), ("[MASK]", "[MASK]"), ("[PAD]", "[SEP]")]
    {
        let criteria = json!({ "billing": null, "shipping": null, "[MASK]": "[SEP] [MASK] shipping" });
        let typed = json!({ "q": { "type": "choice", "instructions": question, "criteria": criteria } });
        let answer = ask(&server, &account.key, json!({ "state": state, "instructions": typed })).await;
        assert_eq!(answer["answers"]["q"]["probabilities"].as_object().unwrap().len(), 3);
    }
}

async fn a_number_may_have_more_digits_than_16_bits_count(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    for digits in [65_535, 65_536, 65_537, 200_000] {
        let number = format!("0.{}", "7".repeat(digits));
        let sent = format!(r#"{{ "state": {{ "n": {number} }}, "instructions": ["Is it late?"] }}"#);
        server.post(INFERENCE).key(&account.key).json_text(sent).send().await.ok();
        assert_eq!(upstream.asked().pop().expect("a question").body["state"], json!({ "n": number }));
    }
}

async fn numbers_of_more_than_64_bits_keep_their_digits(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    let long = "123456789012345678901234567890";
    let state = format!(
        r#"{{ "id": {long}, "of": [-{long}, 0.{long}1], "sum": 18446744073709551615, "rate": 1.50 }}"#
    );
    let sent = format!(
        r#"{{ "state": {state}, "instructions": ["Is it late?"], "parameters": {{ "note": {long} }} }}"#
    );
    let answer = server.post(INFERENCE).key(&account.key).json_text(sent).send().await.ok();
    let expected =
        json!({ "id": long, "of": [format!("-{long}"), format!("0.{long}1")], "sum": u64::MAX, "rate": 1.5 });
    assert_eq!(upstream.asked().pop().expect("a question").body["state"], expected);
    assert_eq!(answer["inference_parameters"]["note"], long);
    // One digit changes the answer of the model in process.
    let server = Server::start(&db).await;
    let account = server.account(10).await;
    let mut answers = Vec::new();
    for digit in [1, 2] {
        let question = json!(["Does the number end with 1?"]);
        let sent =
            format!(r#"{{ "state": 12345678901234567890123456789{digit}, "instructions": {question} }}"#);
        let answer = server.post(INFERENCE).key(&account.key).json_text(sent).send().await.ok();
        answers.push(answer["answers"].clone());
    }
    assert_ne!(answers[0], answers[1]);
}

async fn escapes_of_any_depth_are_read(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(100).await;
    let mut quoted = "I was charged twice".to_owned();
    for _ in 0..11 {
        quoted = json!({ "text": quoted }).to_string();
    }
    for state in [format!("{}\"", "\\".repeat(10_000)), "\\u005c".repeat(2_000), quoted] {
        let answer = ask(&server, &account.key, with("state", json!(state))).await;
        assert!(answer["routing"]["reason"].as_str().unwrap().contains("windows"), "{answer}");
    }
    // Nesting is limited.
    let nested = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let sent = format!(r#"{{ "state": {nested}, "instructions": ["Is it?"] }}"#);
    server.post(INFERENCE).key(&account.key).json_text(sent).send().await.fails(400, "MALFORMED_BODY");
    ask(&server, &account.key, body()).await;
}

on_sqlite!(
    options_that_the_model_cannot_distinguish_are_answered_alike,
    markers_in_a_state_or_question_are_plain_text,
    a_number_may_have_more_digits_than_16_bits_count,
    numbers_of_more_than_64_bits_keep_their_digits,
    escapes_of_any_depth_are_read,
);
