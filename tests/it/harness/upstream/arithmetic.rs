//! The scripted server's answers: arithmetic on the words of state, question and option, in System One's format.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde_json::{Map, Value, json};

use super::{Asked, UPSTREAM_COST, UPSTREAM_MODEL};

/// Answers any questions. The probability of an option depends only on the state, the question and the option.
pub(super) fn decide(asked: &Asked) -> Value {
    let openrouter = asked.path.starts_with("/api/");
    let state = asked.body["state"].to_string();
    let questions = asked.body["questions"].as_object().cloned().unwrap_or_default();
    let answers: Map<String, Value> = questions
        .iter()
        .map(|(key, question)| (key.clone(), answer_one(&state, question, openrouter)))
        .collect();
    let words = asked.body.to_string().split_whitespace().count();
    let mut body = json!({
        "model": UPSTREAM_MODEL,
        "answers": answers,
        "usage": { "input_tokens": words, "output_tokens": answers.len() },
    });
    if openrouter {
        body["id"] = "gen-dec-1".into();
        body["provider"] = "Scripted".into();
        body["usage"]["cost"] = UPSTREAM_COST.into();
    }
    body
}

fn answer_one(state: &str, question: &Value, rounded: bool) -> Value {
    let instructions = question["instructions"].to_string();
    let weight = |option: &str| {
        let mut hasher = DefaultHasher::new();
        (state, &instructions, option).hash(&mut hasher);
        hasher.finish() % 1000 + 1
    };
    // OpenRouter rounds to two decimals.
    let round = |p: f64| if rounded { (p * 100.0).round() / 100.0 } else { p };
    let share = |weights: &BTreeMap<String, u64>, name: &str| {
        round(weights[name] as f64 / weights.values().sum::<u64>() as f64)
    };
    match question["type"].as_str() {
        Some("choice") => {
            let options = question["criteria"].as_object().cloned().unwrap_or_default();
            let weights: BTreeMap<String, u64> =
                options.keys().map(|name| (name.clone(), weight(name))).collect();
            let chosen = weights.iter().max_by_key(|(_, weight)| **weight).expect("an option").0;
            let p = share(&weights, chosen);
            let chance = 1.0 / weights.len() as f64;
            let confidence = if weights.len() < 2 { 1.0 } else { (p - chance) / (1.0 - chance) };
            let probabilities: Map<String, Value> =
                options.keys().map(|name| (name.clone(), share(&weights, name).into())).collect();
            json!({ "type": "choice", "choice": chosen, "confidence": confidence, "probabilities": probabilities })
        }
        Some("score") => {
            let levels = question["criteria"].as_array().cloned().unwrap_or_default();
            let weights: BTreeMap<String, u64> = levels
                .iter()
                .enumerate()
                .map(|(level, words)| (level.to_string(), weight(&words.to_string())))
                .collect();
            let p = |level: usize| share(&weights, &level.to_string());
            let score: f64 = (0..levels.len()).map(|level| level as f64 * p(level)).sum();
            let by_level = |value: &dyn Fn(usize) -> Value| -> Map<String, Value> {
                (0..levels.len()).map(|level| (level.to_string(), value(level))).collect()
            };
            json!({
                "type": "score", "score": score, "confidence": 0.5,
                "legend": by_level(&|level| levels[level].clone()),
                "probabilities": by_level(&|level| p(level).into()),
            })
        }
        _ => json!({ "type": "noul", "noul": round(weight("yes") as f64 / 1001.0) }),
    }
}
