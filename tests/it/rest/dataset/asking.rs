//! Judges with datasets, and imports and exports of files.

use serde_json::{Value, json};

pub(super) use crate::harness::inv::count;
use crate::harness::{Account, Answer, Db, Request, Server, client, eventually};

/// A server, an account, and a key with all permissions on datasets.
pub(super) async fn start(db: &Db) -> (Server, Account, String) {
    let server = Server::start(db).await;
    let account = server.account(10).await;
    let key = db.scoped_key(&account, "infer,manage,read").await;
    (server, account, key)
}

/// The Judges' questions.
pub(super) fn instructions() -> Value {
    json!({
        "team": ["billing", "shipping", "=other"],
        "urgency": { "type": "score", "criteria": ["calm", "pressing", "on fire"] },
        "spam": "Is it spam?",
    })
}

/// Creates a Judge that asks `instructions`.
pub(super) async fn judge_asking(server: &Server, key: &str, instructions: Value) -> String {
    server.create_judge(key, json!({ "name": "Triage", "instructions": instructions })).await
}

/// Creates a Judge.
pub(super) async fn judge(server: &Server, key: &str) -> String {
    judge_asking(server, key, instructions()).await
}

/// Changes a Judge's questions.
pub(super) async fn ask_otherwise(server: &Server, key: &str, id: &str, instructions: Value) {
    let query =
        "mutation($input: UpdateJudgeInput!) { updateJudge(input: $input) { userErrors { message } } }";
    let input = json!({ "input": { "id": id, "instructions": instructions } });
    let answer = server.ask(key, query, input).await;
    assert_eq!(answer["updateJudge"]["userErrors"], json!([]));
}

/// The path of a dataset.
pub(super) fn path(judge: &str, query: &str) -> String {
    format!("/api/v1/judges/{judge}/dataset{query}")
}

/// The lines as a JSON Lines file.
pub(super) fn jsonl(lines: &[Value]) -> String {
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

/// A request that imports a file.
pub(super) fn sending(
    server: &Server,
    key: &str,
    judge: &str,
    kind: &str,
    file: impl Into<String>,
) -> Request {
    server.post(&path(judge, "")).key(key).body(kind, file.into())
}

/// Imports JSON Lines.
pub(super) async fn import(server: &Server, key: &str, judge: &str, lines: &[Value]) -> Answer {
    lines.iter().for_each(|line| server.db.record().body(&line["state"]));
    sending(server, key, judge, "application/x-ndjson", jsonl(lines)).send().await
}

/// Imports CSV.
pub(super) async fn import_csv(server: &Server, key: &str, judge: &str, file: &str) -> Answer {
    sending(server, key, judge, "text/csv", file).send().await
}

/// The counts of an import: lines, imported, labelled, duplicates.
#[track_caller]
pub(super) fn counts(answer: Answer) -> [u64; 4] {
    let counts = answer.ok();
    ["lines", "imported", "labelled", "duplicates"].map(|name| counts[name].as_u64().expect(name))
}

/// Exports a dataset; returns its content type and file.
pub(super) async fn download(server: &Server, key: &str, judge: &str, query: &str) -> (String, Vec<u8>) {
    let url = server.base_url.clone() + path(judge, query).as_str();
    let client = client().build().unwrap();
    let response = client.get(url).header("authorization", format!("Bearer {key}")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    (kind, response.bytes().await.expect("a whole file").to_vec())
}

/// Exports a dataset's lines.
pub(super) async fn lines(server: &Server, key: &str, judge: &str, query: &str) -> Vec<Value> {
    let (_, file) = download(server, key, judge, query).await;
    let text = String::from_utf8(file).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "the last line has an end");
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// A line without the fields that tell how the sample was recorded.
pub(super) fn content(line: &Value) -> Value {
    let mut content = line.clone();
    for own in
        ["id", "created_at", "source", "judge_version", "backend", "latency_ms", "credits", "request_id"]
    {
        content.as_object_mut().unwrap().remove(own);
    }
    content
}

/// Waits until an export can begin again.
pub(super) async fn all_places_free(server: &Server, key: &str, judge: &str) {
    eventually("an export begins", async || {
        let answer = server.get(&path(judge, "?version=2147483647")).key(key).send().await;
        (answer.status == 200).then_some(())
    })
    .await;
}

/// An answer to each question.
fn answers(noul: f64) -> Value {
    json!({
        "team": { "type": "choice", "choice": "shipping", "confidence": 0.25,
            "probabilities": { "billing": 0.25, "shipping": 0.5, "=other": 0.25 } },
        "urgency": { "type": "score", "score": 1.25, "confidence": 0.5,
            "legend": { "0": "calm", "1": "pressing", "2": "on fire" },
            "probabilities": { "0": 0.125, "1": 0.5, "2": 0.375 } },
        "spam": { "type": "noul", "noul": noul },
    })
}

/// Samples with all kinds of states, answers and ground truths.
pub(super) fn all_kinds() -> Vec<Value> {
    let own = json!({ "mood": ["good", "bad"], "words": "Any words?" });
    let truth = json!({ "team": "=other", "urgency": 2, "spam": true });
    let mut lines = vec![
        json!({ "state": "where is my parcel, please?", "answers": answers(0.125),
            "ground_truth": truth, "model": "m@1" }),
        json!({ "state": "=HYPERLINK(\"http://example.test\")", "answers": answers(1.0 / 3.0) }),
        json!({ "state": "own questions are asked", "instructions": own, "ground_truth": { "mood": "bad" },
            "answers": { "words": { "type": "noul", "noul": 0.75, "abstained": false } } }),
        json!({ "state": "abstains", "answers": { "team": { "type": "choice", "choice": "none_of_these",
            "confidence": 0.1, "probabilities": { "billing": 0.4, "shipping": 0.35, "=other": 0.25 },
            "abstained": true } } }),
    ];
    let states = json!([
        "5", 5, 5.5, "true", true, "null", "\u{feff} x", "-1", "@me", "+49 123", "\tt", "[1]", [1, "two", null],
        { "b": 1, "a": { "ü": "ß \"quoted\", and\r\nbroken" } }, "{\"a\":1}", "\"", "a,b;c",
        "line\nbreak", "日本語 🚀",
        " space ", "1e400", 1e300, 12345678901234567890_u64, -0.0,
    ]);
    lines.extend(
        states
            .as_array()
            .unwrap()
            .iter()
            .map(|state| json!({ "state": state, "ground_truth": { "spam": false } })),
    );
    lines
}
