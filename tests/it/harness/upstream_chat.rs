//! The scripted server's answers as an LLM: OpenAI's chat completions. The probability of an option depends only on its
//! words and the document, so that it is the same in every order.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::upstream::{UPSTREAM_MODEL, UpstreamRequest};

/// The share that all letters have together; the rest is that of a word.
const LETTERS: f64 = 0.9;
/// The tokens that such a server reads for each prompt.
const READ: u64 = 40;

/// Answers a chat.
pub(super) fn complete(asked: &UpstreamRequest) -> Value {
    let user = asked.body["messages"][1]["content"].as_str().unwrap_or_default();
    let options: Vec<&str> = user.lines().filter_map(option).collect();
    let document = user.rsplit("===").nth(2).unwrap_or_default();
    let n = asked.body["n"].as_u64().unwrap_or(1) as usize;
    let choices: Vec<Value> = (0..n).map(|_| choice(&asked.body, &options, document)).collect();
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": UPSTREAM_MODEL,
        "choices": choices,
        "usage": { "prompt_tokens": READ, "completion_tokens": n, "total_tokens": READ + n as u64 },
    })
}

fn option(line: &str) -> Option<&str> {
    let letter = line.chars().next().filter(char::is_ascii_uppercase)?;
    line.strip_prefix(letter)?.strip_prefix(") ")
}

fn choice(body: &Value, options: &[&str], document: &str) -> Value {
    let shares = shares(options, document);
    let best = (0..shares.len()).fold(0, |best, at| if shares[at] > shares[best] { at } else { best });
    let content = match options.is_empty() {
        true => "A text about the document.".to_owned(),
        false if body["response_format"].is_null() => letter(best),
        false => json!({ "answer": letter(best) }).to_string(),
    };
    let mut choice = json!({
        "index": 0, "message": { "role": "assistant", "content": content }, "finish_reason": "stop",
        "logprobs": null,
    });
    if body["logprobs"] == true {
        let tops = tops(&shares, body["top_logprobs"].as_u64().unwrap_or(0) as usize);
        choice["logprobs"] = json!({ "content": [
            { "token": content, "bytes": content.as_bytes(), "logprob": tops[0]["logprob"], "top_logprobs": tops },
        ] });
    }
    choice
}

/// The most probable tokens: each letter in two forms, and a word.
fn tops(shares: &[f64], count: usize) -> Vec<Value> {
    let mut tokens: Vec<(String, f64)> = vec![("The".to_owned(), 1.0 - LETTERS)];
    for (at, share) in shares.iter().enumerate() {
        tokens.push((letter(at), LETTERS * share * 0.6));
        tokens.push((format!(" {}", letter(at).to_lowercase()), LETTERS * share * 0.4));
    }
    tokens.sort_by(|a, b| b.1.total_cmp(&a.1));
    tokens
        .into_iter()
        .take(count)
        .map(|(token, p)| json!({ "token": token, "bytes": token.as_bytes(), "logprob": p.ln() }))
        .collect()
}

/// The share of each option.
fn shares(options: &[&str], document: &str) -> Vec<f64> {
    let weights: Vec<f64> = options
        .iter()
        .map(|option| {
            let mut hasher = DefaultHasher::new();
            (option, document).hash(&mut hasher);
            (hasher.finish() % 1000 + 1) as f64
        })
        .collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

fn letter(at: usize) -> String {
    char::from(b'A' + at as u8).to_string()
}
