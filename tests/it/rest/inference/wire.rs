//! The exact JSON of an inference, with placeholders for ids, times and probabilities.

use serde_json::json;

use super::asking::{INFERENCE, start};
use crate::{
    harness::{Db, on_sqlite},
    rest::shape::shape,
};

async fn answers_have_exactly_the_documented_fields(db: Db) {
    let (server, _upstream) = start(&db).await;
    let account = server.account(10).await;
    let body = json!({
        "state": { "subject": "Charged twice", "late": true },
        "instructions": {
            "team": ["billing", "other"],
            "urgency": { "type": "score", "instructions": "How urgent?", "criteria": ["it can wait", "today"] },
            "angry": { "type": "noul", "instructions": "Is the customer angry?" },
        },
        "parameters": { "temperature": 2, "note": "mine" },
    });
    let answer = server.post(INFERENCE).key(&account.key).json(body).send().await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    insta::assert_json_snapshot!(shape(answer.ok()), @r#"
    {
      "id": "inf_…",
      "status": "success",
      "backend": "local",
      "model": "scripted-1.0",
      "latency_ms": "0 or more",
      "answers": {
        "team": {
          "type": "choice",
          "choice": "a choice",
          "confidence": "0 to 1",
          "probabilities": {
            "billing": "0 to 1",
            "other": "0 to 1"
          }
        },
        "urgency": {
          "type": "score",
          "score": "0 or more",
          "confidence": "0 to 1",
          "legend": {
            "0": "it can wait",
            "1": "today"
          },
          "probabilities": {
            "0": "0 to 1",
            "1": "0 to 1"
          }
        },
        "angry": {
          "type": "noul",
          "noul": "0 to 1"
        }
      },
      "routing": {
        "model": "scripted-1.0",
        "reason": "the default: local"
      },
      "inference_parameters": {
        "temperature": 2.0,
        "note": "mine"
      },
      "usage": {
        "input_tokens": "0 or more",
        "output_tokens": "0 or more"
      },
      "credits_deducted": 0.5,
      "remaining_credits": 9.5
    }
    "#);
}

on_sqlite!(answers_have_exactly_the_documented_fields);
