//! The examples of the interface description: every operation has them, a server accepts the requests, and
//! its answers have the same fields.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Db, Server, Upstream, on_sqlite};

/// Media types of binary files, which have no example.
const BINARY: [&str; 2] = ["multipart/form-data", "application/vnd.apache.parquet"];

fn operations() -> Vec<(String, String, Value)> {
    let document: Value = serde_json::from_str(include_str!("../../../openapi.json")).expect("JSON");
    let paths = document["paths"].as_object().expect("paths").clone();
    paths
        .into_iter()
        .flat_map(|(path, item): (String, Value)| {
            let methods = item.as_object().expect("methods").clone();
            methods.into_iter().map(move |(method, operation)| (method, path.clone(), operation))
        })
        .collect()
}

/// The media types of some content, each with its example.
fn examples(content: &Value) -> Vec<(String, Value)> {
    let types = content.as_object().cloned().unwrap_or_default();
    let types = types.into_iter().filter(|(media_type, _)| !BINARY.contains(&media_type.as_str()));
    types.map(|(media_type, of)| (media_type, of["example"].clone())).collect()
}

fn success(operation: &Value) -> Value {
    let responses = operation["responses"].as_object().expect("responses");
    let success = responses.iter().find(|(status, _)| status.starts_with('2'));
    // A redirect has no content.
    success.map_or(Value::Null, |(_, response)| response["content"].clone())
}

fn json_example(examples: &[(String, Value)]) -> Option<Value> {
    let found = examples.iter().find(|(media_type, _)| media_type == "application/json");
    found.map(|(_, example)| example.clone())
}

fn keys(value: &Value) -> BTreeSet<&String> {
    value.as_object().expect("an object").keys().collect()
}

async fn every_operation_has_examples_that_a_server_accepts(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with_model(&db, &upstream).start().await;
    let account = server.account(100).await;
    let key = db.scoped_key(&account, "moderate,infer,manage,read").await;
    let mut sent = 0;
    for (method, path, operation) in operations() {
        let requests = examples(&operation["requestBody"]["content"]);
        let answers = examples(&success(&operation));
        for (media_type, example) in requests.iter().chain(&answers) {
            assert!(!example.is_null(), "{method} {path} has no example of {media_type}");
        }

        // Operations on a Judge, Checkpoint, batch, file or verdict need an existing one, and a form needs its file.
        let of_file = (method.as_str(), path.as_str()) == ("post", "/v1/batches");
        let is_form = operation["requestBody"]["content"].get("multipart/form-data").is_some();
        let belongs = path.contains('{')
            || path.ends_with("/feedback")
            || path.ends_with("/unsubscribe")
            || of_file
            || is_form && requests.is_empty();
        let Some(answer) = json_example(&answers).filter(|_| !belongs) else { continue };
        let request = server.request(method.to_uppercase().parse().expect("a method"), &path).key(&key);
        let real = match json_example(&requests) {
            // Sent as text, since the paths in a batch's items may be logged.
            Some(body) => request.json_text(body.to_string()).send().await,
            None => request.send().await,
        };
        assert!((200..300).contains(&real.status), "{method} {path}: {}", real.text);

        assert_eq!(keys(&real.body), keys(&answer), "{method} {path}");
        sent += 1;
    }
    assert!(sent >= 15, "{sent}");
}

on_sqlite!(every_operation_has_examples_that_a_server_accepts);
