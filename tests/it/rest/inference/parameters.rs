//! Parameters of an answer: temperature, abstention, and unknown ones, which are echoed.

use serde_json::{Value, json};

use super::asking::{ask, start, with};
use crate::harness::{Db, on_sqlite};

fn largest(answer: &Value) -> f64 {
    let probabilities = answer["probabilities"].as_object().expect("probabilities");
    probabilities.values().map(|p| p.as_f64().unwrap()).fold(0.0, f64::max)
}

async fn parameters_in_force_are_shown_and_unknown_ones_echoed(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(10).await;
    let default = ask(&server, &account.key, with("parameters", json!({}))).await;
    assert_eq!(default["inference_parameters"], json!({ "temperature": 1.0 }));
    let all = json!({ "temperature": 0.5, "abstain_below": 0.2, "steps": 3, "note": { "a": [1, null] } });
    let answer = ask(&server, &account.key, with("parameters", all.clone())).await;
    assert_eq!(answer["inference_parameters"], all);
}

async fn a_higher_temperature_flattens_and_a_lower_one_sharpens(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    let mut before = f64::INFINITY;
    let mut choice = Value::Null;
    for temperature in [0.05, 0.5, 1.0, 2.0, 20.0] {
        let body = with("parameters", json!({ "temperature": temperature }));
        let answer = ask(&server, &account.key, body).await["answers"]["team"].clone();
        assert!(largest(&answer) < before, "{temperature}: {answer}");
        assert!(choice.is_null() || choice == answer["choice"], "the likeliest stays the likeliest");
        (before, choice) = (largest(&answer), answer["choice"].clone());
    }
}

async fn an_uncertain_answer_abstains(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(100).await;
    let mut answers = Vec::new();
    for parameters in [json!({}), json!({ "abstain_below": 0.0 }), json!({ "abstain_below": 1.0 })] {
        let mut body = with("parameters", parameters);
        body["instructions"]["spam"] = json!({ "type": "noul" });
        body["instructions"]["urgency"] = json!({ "type": "score", "criteria": ["low", "high"] });
        answers.push(ask(&server, &account.key, body).await["answers"].clone());
    }
    let [plain, none, all] = answers.try_into().expect("three answers");
    for key in ["team", "spam", "urgency"] {
        assert!(plain[key].get("abstained").is_none(), "{plain}");
        assert_eq!((&none[key]["abstained"], &all[key]["abstained"]), (&json!(false), &json!(true)), "{key}");
    }
    assert_eq!(all["team"]["choice"], "none_of_these");
    assert_eq!(all["team"]["probabilities"], plain["team"]["probabilities"]);
    assert_eq!(none["team"]["choice"], plain["team"]["choice"]);
}

on_sqlite!(
    parameters_in_force_are_shown_and_unknown_ones_echoed,
    a_higher_temperature_flattens_and_a_lower_one_sharpens,
    an_uncertain_answer_abstains,
);
