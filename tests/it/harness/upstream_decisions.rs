//! The scripted server's answers in the format of OpenAI's decisions, with the probabilities of its other answers.

use serde_json::{Map, Value, json};

use super::{
    upstream::{UPSTREAM_MODEL, UpstreamRequest},
    upstream_answers::decide,
};

/// Answers a list of questions.
pub(super) fn decide_list(asked: &UpstreamRequest) -> Value {
    let asked_questions = asked.body["questions"].as_array().cloned().unwrap_or_default();
    let by_key: Map<String, Value> = asked_questions
        .iter()
        .enumerate()
        .map(|(index, question)| (format!("{index:03}"), as_typed(question)))
        .collect();
    let body = json!({ "state": asked.body["input"], "questions": by_key });
    let decided = decide(&UpstreamRequest { body, ..asked.clone() });
    let answers: Vec<Value> = asked_questions
        .iter()
        .enumerate()
        .map(|(index, question)| as_listed(question, &decided["answers"][format!("{index:03}")]))
        .collect();
    json!({
        "model": UPSTREAM_MODEL,
        "answers": answers,
        "usage": {
            "input_tokens": decided["usage"]["input_tokens"],
            "input_tokens_details": { "cache_write_tokens": 0, "cached_tokens": 0 },
            "output_tokens": decided["usage"]["output_tokens"],
            "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": 0,
        },
    })
}

/// A question in System One's format.
fn as_typed(question: &Value) -> Value {
    let instructions = &question["instructions"];
    match question["type"].as_str() {
        Some("choice") => {
            let values = question["choices"].as_array().cloned().unwrap_or_default();
            let names = values.iter().filter_map(|choice| choice["value"].as_str());
            let criteria: Map<String, Value> = names.map(|name| (name.to_owned(), Value::Null)).collect();
            json!({ "type": "choice", "instructions": instructions, "criteria": criteria })
        }
        Some("score") => {
            let levels = question["levels"].as_array().cloned().unwrap_or_default();
            let labels: Vec<&Value> = levels.iter().map(|level| &level["label"]).collect();
            json!({ "type": "score", "instructions": instructions, "criteria": labels })
        }
        _ => json!({ "type": "noul", "instructions": instructions }),
    }
}

/// An answer in the list.
fn as_listed(question: &Value, answer: &Value) -> Value {
    let p = answer["probabilities"].as_object().cloned().unwrap_or_default();
    match question["type"].as_str() {
        Some("choice") => {
            let listed: Vec<Value> =
                p.iter().map(|(value, p)| json!({ "value": value, "probability": p })).collect();
            json!({
                "type": "choice", "name": null, "choice": answer["choice"], "confidence": answer["confidence"],
                "probabilities": listed,
            })
        }
        Some("score") => {
            let labels = &question["levels"];
            let listed: Vec<Value> = (0..p.len())
                .map(|level| {
                    json!({ "value": level, "label": labels[level]["label"], "probability": p[&level.to_string()] })
                })
                .collect();
            json!({
                "type": "score", "name": null, "score": answer["score"], "confidence": answer["confidence"],
                "probabilities": listed,
            })
        }
        _ => json!({ "type": "predicate", "name": null, "probability": answer["noul"] }),
    }
}
