//! Batches through a backend that takes few requests at once: items wait for their turn and do not fail, and progress
//! shows.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    asking::{PRICE, completed, ended, results, submitted, when},
    interrupted::settled,
};
use crate::harness::{Db, Fault, Server, ServerOptions, Upstream, eventually, inv, on_both};

/// What an answer takes.
const TAKES: Duration = Duration::from_millis(200);
/// Chunks of 15: what a slow backend's answers weigh.
const ITEMS: usize = 30;

/// Options for a server whose backend `slow` answers one question at a time. A request waits for its place for a
/// quarter of the timeout: two answers long.
fn slow(db: &Db, upstream: &Upstream) -> ServerOptions {
    upstream.breaks(Fault::Late(TAKES));
    Server::with(db)
        .env("GAVEL_LOCAL_URL", "http://127.0.0.1:1")
        .env("GAVEL_BACKENDS__SLOW__KIND", "system_one")
        .env("GAVEL_BACKENDS__SLOW__URL", upstream.url())
        .env("GAVEL_BACKENDS__SLOW__CONCURRENCY", 1)
        .env("GAVEL_BACKENDS__SLOW__TIMEOUT_S", 2)
}

/// Questions to it.
fn questions(count: usize) -> Vec<Value> {
    (0..count)
        .map(|n| {
            let body = json!({
                "state": format!("Parcel {n}?"), "instructions": { "team": ["billing", "shipping"] }, "model": "slow",
            });
            json!({ "custom_id": format!("q{n}"), "method": "POST", "url": "/api/v1/inference", "body": body })
        })
        .collect()
}

async fn items_wait_for_a_backend_that_takes_one_at_a_time(db: Db) {
    let upstream = Upstream::start().await;
    let server = slow(&db, &upstream).env("GAVEL_WORKER_BULK_JOBS", 1).start().await;
    let account = server.account(100).await;
    let id = submitted(&server, &account.key, &questions(ITEMS)).await;
    let running = when(&server, &account.key, &id, |batch| completed(batch) > 0).await;
    assert!((1..ITEMS as i64).contains(&completed(&running)), "progress shows before the end: {running}");
    let batch = ended(&server, &account.key, &id).await;
    assert_eq!((&batch["status"], completed(&batch)), (&json!("completed"), ITEMS as i64), "{batch}");
    let results = results(&server, &account.key, &id).await;
    assert!(results.iter().all(|line| line["response"]["status_code"] == 200), "{results:?}");
    let busy = r#"gavel_backend_requests_total{backend="slow",outcome="busy"}"#;
    assert!(server.metric(busy).await > 0.0, "items had to wait for longer than a request waits");
    // Nobody was asked twice.
    assert_eq!(upstream.asked().len(), ITEMS);
    let charged: i64 = inv::charges(&db, &account.id).await.iter().map(|charge| charge.delta).sum();
    assert_eq!(charged, -PRICE * ITEMS as i64);
}

/// An item for one of two backends.
fn question_to(backend: &str, n: usize) -> Value {
    let body = json!({
        "state": format!("Parcel {n}?"), "instructions": { "team": ["billing", "shipping"] }, "model": backend,
    });
    json!({ "custom_id": format!("{backend}{n}"), "method": "POST", "url": "/api/v1/inference", "body": body })
}

async fn what_was_answered_is_not_asked_again_for_those_that_fail(db: Db) {
    let [good, bad] = [Upstream::start().await, Upstream::start().await];
    let mut server = Server::with(&db).env("GAVEL_BACKEND_RETRIES", 0).env("GAVEL_WORKER_BULK_JOBS", 1);
    for (name, upstream) in [("GOOD", &good), ("BAD", &bad)] {
        server = server
            .env(&format!("GAVEL_BACKENDS__{name}__KIND"), "system_one")
            .env(&format!("GAVEL_BACKENDS__{name}__URL"), upstream.url());
    }
    let server = server.start().await;
    let account = server.account(100).await;
    let items = [question_to("good", 1), question_to("good", 2), question_to("bad", 3)];

    // A refusal would be repeated, so that the item fails at once.
    bad.breaks(Fault::Status(404));
    let id = submitted(&server, &account.key, &items).await;
    let batch = ended(&server, &account.key, &id).await;
    assert_eq!(batch["counts"], json!({ "completed": 2, "failed": 1 }), "{batch}");
    assert_eq!((good.asked().len(), bad.asked().len()), (2, 1));

    bad.breaks(Fault::Status(503));
    let id = submitted(&server, &account.key, &items).await;
    eventually("the chunk is run again", async || (bad.asked().len() > 1 + 3).then_some(())).await;
    bad.heals();
    let batch = ended(&server, &account.key, &id).await;
    assert_eq!(batch["counts"], json!({ "completed": 3, "failed": 0 }), "{batch}");
    assert_eq!(good.asked().len(), 4, "each of its items once");
    let charged: i64 = inv::charges(&db, &account.id).await.iter().map(|charge| charge.delta).sum();
    assert_eq!(charged, -PRICE * 5);
}

async fn a_batch_that_expires_says_how_much_had_not_run(db: Db) {
    let upstream = Upstream::start().await;
    let server = slow(&db, &upstream).env("GAVEL_WORKER_BULK_JOBS", 1).start().await;
    let account = server.account(100).await;
    let id = submitted(&server, &account.key, &questions(3 * ITEMS)).await;
    when(&server, &account.key, &id, |batch| completed(batch) > 0).await;
    db.execute("UPDATE batch SET expires_at = '2026-01-01T00:00:00+00:00'").await;
    let batch = ended(&server, &account.key, &id).await;
    let left = 3 * ITEMS as i64 - completed(&batch);
    assert_eq!((&batch["status"], left > 0), (&json!("expired"), true), "{batch}");
    let says = format!("{left} of {} items had not run when the batch expired", 3 * ITEMS);
    assert!(batch["error"].as_str().unwrap().starts_with(&says), "{batch}");
    settled(&db, &server, &account, &batch, 100_000).await;
}

on_both!(
    items_wait_for_a_backend_that_takes_one_at_a_time,
    what_was_answered_is_not_asked_again_for_those_that_fail,
    a_batch_that_expires_says_how_much_had_not_run,
);
