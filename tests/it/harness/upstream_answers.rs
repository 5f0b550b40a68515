//! The scripted server's answers: arithmetic on the words of state, question and option, in System One's format.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde_json::{Map, Value, json};

use super::upstream::{UPSTREAM_COST, UPSTREAM_MODEL, UpstreamRequest};

/// Answers any questions. The probability of an option depends only on the state, the question and the option.
pub(super) fn decide(asked: &UpstreamRequest) -> Value {
    let openrouter = asked.path.starts_with("/api/");
    let state = asked.body["state"].to_string();
    let questions = asked.body["questions"].as_object().cloned().unwrap_or_default();
    let answers: Map<String, Value> = questions
        .iter()
        .map(|(key, question)| (key.clone(), AskedQuestion::new(&state, question, openrouter).answer()))
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

/// A question about a state, and whether its answer is rounded.
struct AskedQuestion<'a> {
    state: &'a str,
    instructions: String,
    question: &'a Value,
    rounded: bool,
}

impl<'a> AskedQuestion<'a> {
    fn new(state: &'a str, question: &'a Value, rounded: bool) -> Self {
        Self { state, instructions: question["instructions"].to_string(), question, rounded }
    }

    fn answer(&self) -> Value {
        match self.question["type"].as_str() {
            Some("choice") => self.choose(),
            Some("score") => self.score(),
            _ => json!({ "type": "noul", "noul": self.round(self.weight("yes") as f64 / 1001.0) }),
        }
    }

    fn choose(&self) -> Value {
        let options = self.question["criteria"].as_object().cloned().unwrap_or_default();
        let weights: BTreeMap<String, u64> =
            options.keys().map(|name| (name.clone(), self.weight(name))).collect();
        let chosen = weights.iter().max_by_key(|(_, weight)| **weight).expect("an option").0;
        let p = self.share(&weights, chosen);
        let chance = 1.0 / weights.len() as f64;
        let confidence = if weights.len() < 2 { 1.0 } else { (p - chance) / (1.0 - chance) };
        let probabilities: Map<String, Value> =
            options.keys().map(|name| (name.clone(), self.share(&weights, name).into())).collect();
        json!({ "type": "choice", "choice": chosen, "confidence": confidence, "probabilities": probabilities })
    }

    fn score(&self) -> Value {
        let levels = self.question["criteria"].as_array().cloned().unwrap_or_default();
        let weights: BTreeMap<String, u64> = levels
            .iter()
            .enumerate()
            .map(|(level, words)| (level.to_string(), self.weight(&words.to_string())))
            .collect();
        let shares: Vec<f64> =
            (0..levels.len()).map(|level| self.share(&weights, &level.to_string())).collect();
        let score: f64 = shares.iter().enumerate().map(|(level, p)| level as f64 * p).sum();
        json!({
            "type": "score", "score": score, "confidence": 0.5,
            "legend": by_level(levels),
            "probabilities": by_level(shares),
        })
    }

    fn weight(&self, option: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.state, &self.instructions, option).hash(&mut hasher);
        hasher.finish() % 1000 + 1
    }

    fn share(&self, weights: &BTreeMap<String, u64>, name: &str) -> f64 {
        self.round(weights[name] as f64 / weights.values().sum::<u64>() as f64)
    }

    /// OpenRouter rounds to two decimals.
    fn round(&self, p: f64) -> f64 {
        if self.rounded { (p * 100.0).round() / 100.0 } else { p }
    }
}

fn by_level<T: Into<Value>>(values: Vec<T>) -> Map<String, Value> {
    values.into_iter().enumerate().map(|(level, value)| (level.to_string(), value.into())).collect()
}
