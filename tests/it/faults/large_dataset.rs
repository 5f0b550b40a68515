//! A dataset of many samples with large answers, inserted into the database: importing it would take minutes.

use serde_json::{Map, Value, json};

use crate::harness::Server;

/// Creates a Judge with `samples` samples of `keys` keys (`k0`, …), each with 255 choices (`c0`, …); returns
/// its id. One sample is imported, the others are copies of it.
pub(super) async fn large_dataset(
    server: &Server,
    key: &str,
    samples: usize,
    keys: usize,
    state: String,
) -> String {
    let choices: Vec<String> = (0..255).map(|n| format!("c{n}")).collect();
    let names: Vec<String> = (0..keys).map(|n| format!("k{n}")).collect();
    let instructions: Map<String, Value> = names.iter().map(|key| (key.clone(), json!(choices))).collect();
    let judge = server.create_judge(key, json!({ "name": "Large", "instructions": instructions })).await;
    let probabilities: Map<String, Value> = choices
        .iter()
        .enumerate()
        .map(|(n, choice)| (choice.clone(), json!(f64::from(n as u32) / 32_385.0)))
        .collect();
    let answer =
        json!({ "type": "choice", "choice": "c254", "confidence": 0.5, "probabilities": probabilities });
    let answers: Map<String, Value> = names.into_iter().map(|key| (key, answer.clone())).collect();
    let line = json!({ "state": state, "answers": answers }).to_string();
    let path = format!("/api/v1/judges/{judge}/dataset");
    server.post(&path).key(key).body("application/x-ndjson", line).send().await.ok();
    let columns = "account_id, judge_id, judge_version, source, content_hash, state, instructions, model, backend, \
                   latency_ms, credits, certainty, labels, created_at";
    let copy = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) \
         INSERT INTO sample (id, {columns}) SELECT 'sample_copy_' || i, {columns} FROM sample, n",
        samples - 1
    );
    server.db.execute(&copy).await;
    let columns = "position, judge_id, judge_version, source, created_at, kind, value, answer, probability, \
                   probabilities, squares";
    let copy = format!(
        "INSERT INTO sample_answer (sample_seq, key, {columns}) SELECT s.seq, a.key, {} FROM sample s, sample_answer a \
         WHERE s.id LIKE 'sample_copy_%'",
        columns.split(", ").map(|column| format!("a.{column}")).collect::<Vec<_>>().join(", ")
    );
    server.db.execute(&copy).await;
    judge
}
