//! The documentation's examples work: each curl command is sent, and its answer is compared with the
//! documented one. The comparison knows nothing about the single examples.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Db, Server, on_sqlite};

/// Pages whose examples are run.
const PAGES: [&str; 9] = [
    "moderate-text.md",
    "decide.md",
    "decide-choice.md",
    "decide-score.md",
    "decide-noul.md",
    "decide-schema.md",
    "judges.md",
    "graphql.md",
    "webhooks.md",
];
/// Fields whose values differ from run to run.
const VOLATILE: [&str; 8] = [
    "id",
    "judge_id",
    "endpoint",
    "secret",
    "latency_ms",
    "total_latency_ms",
    "remaining_credits",
    "request_id",
];
/// Examples are rounded, and the two runtimes differ a little.
const TOLERANCE: f64 = 0.03;

struct Example {
    path: String,
    request: Value,
    answer: Value,
}

/// The curl commands of a page, each with the JSON block that follows it.
fn examples(page: &str) -> Vec<Example> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
    let text = std::fs::read_to_string(&file).unwrap();
    let mut examples = Vec::new();
    for part in text.split("```sh\ncurl http://127.0.0.1:8080").skip(1) {
        let (command, rest) = part.split_once("\n```").expect("the block ends");
        let path = command.split_whitespace().next().expect("a path").to_owned();
        let (_, request) = command.split_once("-d '").expect("a body");
        let request = request.trim_end().strip_suffix('\'').expect("the body's end");
        let (_, answer) = rest.split_once("```json\n").expect("an answer");
        let (answer, _) = answer.split_once("\n```").expect("the answer's end");
        examples.push(Example {
            path,
            request: serde_json::from_str(request)
                .unwrap_or_else(|error| panic!("{page}: {error}: {request}")),
            answer: serde_json::from_str(answer).unwrap_or_else(|error| panic!("{page}: {error}: {answer}")),
        });
    }
    examples
}

/// The first place where an answer differs from the documented one.
fn difference(at: &str, promised: &Value, real: &Value) -> Option<String> {
    match (promised, real) {
        (Value::Object(a), Value::Object(b)) => {
            if a.keys().ne(b.keys()) {
                return differs(at, promised, real);
            }
            let shared = a.iter().filter(|(key, _)| !VOLATILE.contains(&key.as_str()));
            shared.into_iter().find_map(|(key, value)| difference(&format!("{at}.{key}"), value, &b[key]))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| difference(&format!("{at}[{i}]"), a, b))
        }
        (Value::Number(a), Value::Number(b)) => {
            let a = a.as_f64()?;
            let b = b.as_f64()?;
            if (a - b).abs() <= TOLERANCE * a.abs().max(1.0) { None } else { differs(at, promised, real) }
        }
        _ if promised == real => None,
        _ => differs(at, promised, real),
    }
}

fn differs(at: &str, promised: &Value, real: &Value) -> Option<String> {
    Some(format!("{at}: documented {promised}, is {real}"))
}

async fn the_examples_of_the_documentation_work(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1_000).await;
    let key = db.scoped_key(&account, "moderate,infer,manage").await;
    let mut wrong = Vec::new();
    let mut judge = String::new();
    for page in PAGES {
        let examples = examples(page);
        assert!(!examples.is_empty(), "{page} has no example");
        for example in examples {
            let answer = server
                .post(&example.path.replace("$JUDGE", &judge))
                .key(&key)
                .json(example.request.clone())
                .send()
                .await;
            if let Some(made) = answer.body["data"]["createJudge"]["judge"]["id"].as_str() {
                judge = made.to_owned();
            }
            let fails = example.answer.get("error").is_some();
            if (answer.status != 200) != fails {
                wrong.push(format!("{page}: {}: {}", example.request, answer.text));
            } else if let Some(why) = difference("", &example.answer, &answer.body) {
                let real = serde_json::to_string_pretty(&answer.body).unwrap();
                wrong.push(format!("{page}: {}\n{why}\n{real}", example.request));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

async fn every_table_is_documented(db: Db) {
    #[derive(sea_orm::FromQueryResult)]
    struct Table {
        name: String,
    }
    db.cli(&["migrate"]).await;
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let tables: Vec<Table> = crate::harness::inv::rows(&db, sql).await;
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operate.md")).unwrap();
    let (_, section) = page.split_once("## Tables").expect("a section");
    assert!(tables.len() > 10);
    for Table { name } in tables {
        assert!(section.contains(&format!("`{name}`")), "docs/operate.md says nothing of the table {name}");
    }
}

on_sqlite!(the_examples_of_the_documentation_work, every_table_is_documented);
