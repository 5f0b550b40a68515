//! How the tests submit batches and wait for them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Answer, Db, Server, inv, milli};

pub(crate) const BATCHES: &str = "/api/v1/batches";
/// The price of every item in these tests, in milli-credits.
pub(crate) const PRICE: i64 = 500;
/// The timeout of a batch on a busy machine, including the lease of a killed worker.
const PATIENCE: Duration = Duration::from_secs(90);

/// An item that moderates a text.
pub(crate) fn text(id: &str, content: &str) -> Value {
    let body = json!({ "content": content, "mode": "native" });
    json!({ "custom_id": id, "method": "POST", "url": "/api/v1/moderate/text", "body": body })
}

/// An item that asks a question.
pub(crate) fn question(id: &str, state: &str) -> Value {
    let body = json!({ "state": state, "instructions": { "team": ["billing", "shipping", "other"] } });
    json!({ "custom_id": id, "method": "POST", "url": "/api/v1/inference", "body": body })
}

pub(crate) fn questions(count: usize) -> Vec<Value> {
    (0..count).map(|n| question(&format!("q{n}"), &format!("a question about parcel {n}"))).collect()
}

/// The items as JSON Lines.
pub(crate) fn lines(items: &[Value]) -> String {
    items.iter().map(|item| format!("{item}\n")).collect()
}

pub(crate) async fn submit(server: &Server, key: &str, items: &[Value]) -> Answer {
    items.iter().for_each(|item| server.db.record().body(&item["body"]));
    server.post(BATCHES).key(key).body("application/jsonl", lines(items)).send().await
}

/// Submits a batch, which must be accepted; returns its id.
pub(crate) async fn submitted(server: &Server, key: &str, items: &[Value]) -> String {
    let answer = submit(server, key, items).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let batch = answer.body;
    assert_eq!((&batch["object"], &batch["status"]), (&json!("batch"), &json!("queued")));
    assert_eq!(batch["total"], items.len());
    assert_eq!(milli(&batch["credits_held"]), PRICE * items.len() as i64);
    batch["id"].as_str().expect("an id").to_owned()
}

pub(crate) async fn batch(server: &Server, key: &str, id: &str) -> Value {
    server.get(&format!("{BATCHES}/{id}")).key(key).send().await.ok()
}

/// Waits until `done` holds for the batch; returns it.
pub(crate) async fn when(server: &Server, key: &str, id: &str, done: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let batch = batch(server, key, id).await;
        if done(&batch) {
            return batch;
        }
        if start.elapsed() > PATIENCE {
            panic!("{batch}\n{:#?}\n{}", jobs(&server.db).await, server.log());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A row of the table `job`, for the message of a test that times out.
#[derive(Debug, sea_orm::FromQueryResult)]
#[allow(dead_code)]
struct JobRow {
    kind: String,
    state: String,
    attempts: i32,
    due_at: i64,
    delivered_at: Option<i64>,
    lease_until: Option<i64>,
    created_at: sea_orm::prelude::DateTimeUtc,
}

async fn jobs(db: &Db) -> Vec<JobRow> {
    let columns = "kind, state, attempts, due_at, delivered_at, lease_until, created_at";
    inv::rows(db, &format!("SELECT {columns} FROM job WHERE state IN ('queued', 'running')")).await
}

/// Waits until the batch has ended; returns it.
pub(crate) async fn ended(server: &Server, key: &str, id: &str) -> Value {
    when(server, key, id, |batch| {
        !["queued", "running"].contains(&batch["status"].as_str().expect("a status"))
    })
    .await
}

/// The results so far.
pub(crate) async fn results(server: &Server, key: &str, id: &str) -> Vec<Value> {
    let answer = server.get(&format!("{BATCHES}/{id}/results")).key(key).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    answer.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

pub(crate) async fn cancel(server: &Server, key: &str, id: &str) -> Answer {
    server.post(&format!("{BATCHES}/{id}/cancel")).key(key).send().await
}

/// The number of a batch's completed items.
pub(crate) fn completed(batch: &Value) -> i64 {
    batch["counts"]["completed"].as_i64().expect("a count")
}

/// An answer without the fields that differ between requests.
pub(crate) fn alike(body: &Value) -> Value {
    let mut body = body.clone();
    for field in ["id", "latency_ms", "remaining_credits"] {
        assert!(body.as_object_mut().expect("an object").shift_remove(field).is_some(), "{field} in {body}");
    }
    body
}
