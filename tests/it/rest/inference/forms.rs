//! The forms of state and instructions, and how they are sent on.

use serde_json::{Value, json};

use super::asking::{INFERENCE, ask, body, start, with};
use crate::harness::{Db, on_sqlite};

/// The last request to the model server.
fn asked(upstream: &crate::harness::Upstream) -> Value {
    upstream.asked().pop().expect("a question").body
}

async fn any_json_with_content_is_a_state(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(100).await;
    for state in [
        json!("text"),
        json!({ "order": { "id": 7, "items": [null, "a lamp"] }, "late": true }),
        json!(["one", { "two": 2 }]),
        json!(0),
        json!(-1.5),
        json!(false),
        json!([null]),
    ] {
        ask(&server, &account.key, with("state", state.clone())).await;
        // System One's states are strings, objects and arrays.
        let sent = asked(&upstream)["state"].clone();
        let as_text = state.to_string();
        assert!(sent == state || sent == as_text, "{sent} for {state}");
    }
    let content = json!({ "content": "text", "instructions": body()["instructions"] });
    let by_state = ask(&server, &account.key, with("state", json!("text"))).await;
    assert_eq!(ask(&server, &account.key, content).await["answers"], by_state["answers"]);
    let both = json!({ "content": "other", "state": "text", "instructions": body()["instructions"] });
    assert_eq!(ask(&server, &account.key, both).await["answers"], by_state["answers"], "state wins");
}

async fn every_form_of_instructions_is_answered_in_the_order_of_its_keys(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    let team = json!({ "billing": "Payments", "other": null });
    for (instructions, types) in [
        (json!({ "b": ["x", "y"], "a": ["x", "y"] }), json!({ "b": "choice", "a": "choice" })),
        (
            json!({
                "team": { "type": "choice", "instructions": "which team?", "criteria": team },
                "urgency": { "type": "score", "instructions": "how urgent?", "criteria": ["low", "high"] },
                "spam": { "type": "noul", "instructions": "is it spam?",
                    "criteria": { "true": "ads", "false": "not" } },
                "rude": { "type": "noul" },
                "late": "is it late?",
            }),
            json!({ "team": "choice", "urgency": "score", "spam": "noul", "rude": "noul", "late": "noul" }),
        ),
        (json!(["is it spam?", "is it rude?"]), json!({ "q1": "noul", "q2": "noul" })),
        (
            json!(["is it spam?", { "key": "team", "type": "choice", "criteria": team }]),
            json!({ "q1": "noul", "team": "choice" }),
        ),
    ] {
        let answer = ask(&server, &account.key, with("instructions", instructions)).await;
        let got: serde_json::Map<String, Value> = answer["answers"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(k, v)| (k.clone(), v["type"].clone()))
            .collect();
        assert_eq!(got.keys().collect::<Vec<_>>(), types.as_object().unwrap().keys().collect::<Vec<_>>());
        assert_eq!(Value::Object(got), types);
        assert!(!answer["routing"]["reason"].as_str().unwrap().contains("yes/no"), "{answer}");
    }
}

async fn a_prompt_is_a_yes_no_question_for_a_model_that_only_decides(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(10).await;
    let answer = ask(&server, &account.key, with("instructions", json!("Is the customer angry?"))).await;
    assert_eq!(answer["answers"].as_object().unwrap().len(), 1);
    assert_eq!(answer["answers"]["answer"]["type"], "noul");
    let reason = answer["routing"]["reason"].as_str().unwrap();
    assert!(reason.contains("the prompt was read as a yes/no question"), "{reason}");
}

async fn unknown_fields_are_ignored(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(10).await;
    let first = ask(&server, &account.key, body()).await;
    for (field, value) in
        [("colour", json!("red")), ("State", json!("other")), ("nested", json!([{ "a": 1 }]))]
    {
        assert_eq!(ask(&server, &account.key, with(field, value)).await["answers"], first["answers"]);
    }
}

async fn probabilities_sum_to_one_in_any_order_of_options(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    let options: Vec<String> = (0..255).map(|n| format!("option {n}")).collect();
    let body = with("instructions", json!({ "q": options }));
    let first = ask(&server, &account.key, body).await["answers"]["q"].clone();
    let probabilities = first["probabilities"].as_object().unwrap();
    assert_eq!(probabilities.keys().collect::<Vec<_>>(), options.iter().collect::<Vec<_>>());
    let sum: f64 = probabilities.values().map(|p| p.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let reversed: Vec<String> = options.into_iter().rev().collect();
    let body = with("instructions", json!({ "q": reversed }));
    let turned = ask(&server, &account.key, body).await["answers"]["q"].clone();
    assert_eq!(turned["choice"], first["choice"]);
    for (option, p) in turned["probabilities"].as_object().unwrap() {
        assert!((p.as_f64().unwrap() - probabilities[option].as_f64().unwrap()).abs() < 1e-6, "{option}");
    }
}

async fn a_local_server_accepts_any_model_and_is_named(db: Db) {
    let (server, upstream) = start(&db).await;
    let account = server.account(10).await;
    for (model, sent) in [("auto", None), ("gavel-latest", None), ("larger-2.0", Some("larger-2.0"))] {
        let answer = ask(&server, &account.key, with("model", json!(model))).await;
        assert_eq!((&answer["backend"], &answer["model"]), (&json!("local"), &json!("scripted-1.0")));
        assert_eq!(answer["routing"]["model"], answer["model"]);
        if let Some(sent) = sent {
            assert_eq!(asked(&upstream)["model"], sent);
        }
    }
    let metrics = server.get("/metrics").send().await.text;
    let line = format!("gavel_requests_total{{route=\"{INFERENCE}\",status=\"200\"}} 3");
    assert!(metrics.lines().any(|shown| shown == line), "{line} is not in:\n{metrics}");
    assert_eq!(server.get("/readyz").send().await.ok()["decision_engine"], true);
}

on_sqlite!(
    any_json_with_content_is_a_state,
    every_form_of_instructions_is_answered_in_the_order_of_its_keys,
    a_prompt_is_a_yes_no_question_for_a_model_that_only_decides,
    unknown_fields_are_ignored,
    probabilities_sum_to_one_in_any_order_of_options,
    a_local_server_accepts_any_model_and_is_named,
);
