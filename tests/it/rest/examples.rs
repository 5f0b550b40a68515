//! The examples of the interface description: every operation has them, and a server takes the requests and gives answers of
//! the same shape.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Db, Server, Upstream, on_sqlite};

/// Media types of files, of which no example can be shown.
const BINARY: [&str; 2] = ["multipart/form-data", "application/vnd.apache.parquet"];

fn operations() -> Vec<(String, String, Value)> {
    let document: Value = serde_json::from_str(include_str!("../../../openapi.json")).expect("JSON");
    let paths = document["paths"].as_object().expect("paths").clone();
    let of = |(path, item): (String, Value)| {
        let methods = item.as_object().expect("methods").clone();
        methods.into_iter().map(move |(method, operation)| (method, path.clone(), operation))
    };
    paths.into_iter().flat_map(of).collect()
}

/// The media types of some content, each with its example.
fn examples(content: &Value) -> Vec<(String, Value)> {
    let types = content.as_object().cloned().unwrap_or_default();
    let types = types.into_iter().filter(|(media_type, _)| !BINARY.contains(&media_type.as_str()));
    types.map(|(media_type, of)| (media_type, of["example"].clone())).collect()
}

fn success(operation: &Value) -> Value {
    let responses = operation["responses"].as_object().expect("responses");
    responses.iter().find(|(status, _)| status.starts_with('2')).expect("a success").1["content"].clone()
}

async fn every_operation_has_examples_that_a_server_takes(db: Db) {
    let upstream = Upstream::start().await;
    let server = Server::with(&db).env("GAVEL_LOCAL_URL", upstream.url()).start().await;
    let account = server.account(100).await;
    let (_, key) = db.key(&account, &["--scopes", "moderate,infer,manage,read"]).await;
    let mut sent = 0;
    for (method, path, operation) in operations() {
        let requests = examples(&operation["requestBody"]["content"]);
        let answers = examples(&success(&operation));
        for (media_type, example) in requests.iter().chain(&answers) {
            assert!(!example.is_null(), "{method} {path} has no example of {media_type}");
        }
        let json = |all: &[(String, Value)]| {
            all.iter()
                .find(|(media_type, _)| media_type == "application/json")
                .map(|(_, example)| example.clone())
        };
        // What belongs to some Judge, Checkpoint, batch or verdict needs one.
        let belongs = path.contains('{') || path.ends_with("/feedback");
        let (Some(answer), false) = (json(&answers), belongs) else { continue };
        let request = server.request(method.to_uppercase().parse().expect("a method"), &path).key(&key);
        let real = match json(&requests) {
            // The names of paths in a batch's items stand in the log, as they may.
            Some(body) => request.json_text(body.to_string()).send().await,
            None => request.send().await,
        };
        assert!((200..300).contains(&real.status), "{method} {path}: {}", real.text);
        let keys = |value: &Value| -> BTreeSet<String> {
            value.as_object().expect("an object").keys().cloned().collect()
        };
        assert_eq!(keys(&real.body), keys(&answer), "{method} {path}");
        sent += 1;
    }
    assert!(sent >= 15, "{sent}");
}

on_sqlite!(every_operation_has_examples_that_a_server_takes);
