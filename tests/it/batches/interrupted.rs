//! Batches that are cancelled, expire, or lose their worker, engine or account: each ends once, and exactly
//! the completed items are charged.

use std::time::Duration;

use serde_json::{Value, json};

use super::asking::*;
use crate::{
    harness::{Account, Db, Fault, Server, ServerOptions, Upstream, inv, milli, on_both},
    holds::funds,
};

/// A server whose inferences take a while, with one job at a time: a chunk of 50 takes a second or two.
fn slow(db: &Db, upstream: &Upstream) -> ServerOptions {
    upstream.breaks(Fault::Late(Duration::from_millis(150)));
    Server::with_model(db, upstream).env("GAVEL_WORKER_BULK_JOBS", 1)
}

/// Asserts that exactly the completed items were charged and that nothing is held; returns the results.
pub(crate) async fn settled(
    db: &Db,
    server: &Server,
    account: &Account,
    batch: &Value,
    credits: i64,
) -> Vec<Value> {
    let completed = completed(batch);
    assert_eq!(milli(&batch["credits_charged"]), completed * PRICE, "{batch}");
    assert_eq!(funds(db, account).await, (credits - completed * PRICE, 0));
    let charged: i64 = inv::charges(db, &account.id).await.iter().map(|row| -row.delta).sum();
    assert_eq!(charged, completed * PRICE);
    let results = results(server, &account.key, batch["id"].as_str().unwrap()).await;
    assert_eq!(results.len() as i64, batch["total"].as_i64().unwrap(), "every item has a line");
    let succeeded = results.iter().filter(|one| one["response"]["status_code"] == 200).count();
    assert_eq!(succeeded as i64, completed);
    results
}

async fn a_cancelled_batch_keeps_its_completed_items(db: Db) {
    let upstream = Upstream::start().await;
    let server = slow(&db, &upstream).start().await;
    let account = server.account(100).await;
    let id = submitted(&server, &account.key, &questions(200)).await;
    when(&server, &account.key, &id, |batch| completed(batch) > 0).await;
    let partial = results(&server, &account.key, &id).await;
    assert!(!partial.is_empty() && partial.iter().all(|one| one["error"].is_null()), "results while it runs");
    let cancelled = cancel(&server, &account.key, &id).await.ok();
    assert_eq!((&cancelled["status"], milli(&cancelled["credits_held"])), (&json!("cancelled"), 0));
    assert_eq!(cancel(&server, &account.key, &id).await.ok()["finished_at"], cancelled["finished_at"]);
    // Items in progress are abandoned and not charged.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let after = batch(&server, &account.key, &id).await;
    assert_eq!((&after["counts"], &after["status"]), (&cancelled["counts"], &json!("cancelled")));
    assert!(completed(&after) < 200);
    let results = settled(&db, &server, &account, &after, 100_000).await;
    assert_eq!(results.last().unwrap()["response"], Value::Null);
    assert_eq!(results.last().unwrap()["error"]["code"], "BATCH_CANCELLED");
    let done = submitted(&server, &account.key, &[text("a", "hello")]).await;
    ended(&server, &account.key, &done).await;
    cancel(&server, &account.key, &done).await.fails(409, "CONFLICT");
}

async fn a_batch_outlives_its_worker(db: Db) {
    let upstream = Upstream::start().await;
    let mut server = slow(&db, &upstream).start().await;
    let account = server.account(100).await;
    let id = submitted(&server, &account.key, &questions(150)).await;
    for _ in 0..2 {
        let before = completed(&batch(&server, &account.key, &id).await);
        when(&server, &account.key, &id, |batch| completed(batch) > before).await;
        server.kill9();
        // The killed worker's lease ends now instead of 15 seconds later.
        db.execute("UPDATE job SET lease_until = 0, delivered_at = NULL WHERE state = 'running'").await;
        server.restart().await;
    }
    let done = ended(&server, &account.key, &id).await;
    assert_eq!(
        (&done["status"], &done["counts"]),
        (&json!("completed"), &json!({ "completed": 150, "failed": 0 }))
    );
    settled(&db, &server, &account, &done, 100_000).await;
}

/// An accepted batch runs: the key authorises submitting it, and the account pays.
async fn a_batch_outlives_the_key_that_submitted_it(db: Db) {
    let upstream = Upstream::start().await;
    let server = slow(&db, &upstream).start().await;
    let account = server.account(100).await;
    let key = db.scoped_key(&account, "read").await;
    let reader = Account { key, ..account.clone() };
    let id = submitted(&server, &account.key, &questions(150)).await;
    when(&server, &reader.key, &id, |batch| completed(batch) > 0).await;
    db.cli(&["key", "revoke", "--key", &account.key_id]).await;
    let done = ended(&server, &reader.key, &id).await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["counts"], json!({ "completed": 150, "failed": 0 }));
    settled(&db, &server, &reader, &done, 100_000).await;
    let refused = server.get(&format!("{BATCHES}/{id}")).key(&account.key).send().await;
    refused.fails(401, "UNAUTHORIZED");
}

async fn a_batch_expires(db: Db) {
    let upstream = Upstream::start().await;
    let server = slow(&db, &upstream).start().await;
    let account = server.account(100).await;
    let id = submitted(&server, &account.key, &questions(150)).await;
    when(&server, &account.key, &id, |batch| completed(batch) > 0).await;
    db.execute("UPDATE batch SET expires_at = '2026-01-01T00:00:00+00:00'").await;
    db.execute("UPDATE job SET due_at = 0, delivered_at = NULL WHERE kind = 'finish_batch'").await;
    let expired = ended(&server, &account.key, &id).await;
    assert_eq!(expired["status"], "expired");
    let results = settled(&db, &server, &account, &expired, 100_000).await;
    assert_eq!(results.last().unwrap()["error"]["code"], "BATCH_EXPIRED");
}

async fn an_engine_that_fails_for_a_while_fails_no_item(db: Db) {
    let upstream = Upstream::start().await;
    let start = Server::with_model(&db, &upstream);
    let server = start.start().await;
    let account = server.account(100).await;
    upstream.breaks(Fault::Status(500));
    let mut items = questions(4);
    items.push(text("fine", "hello"));
    let id = submitted(&server, &account.key, &items).await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(batch(&server, &account.key, &id).await["counts"], json!({ "completed": 0, "failed": 0 }));
    upstream.heals();
    let done = ended(&server, &account.key, &id).await;
    assert_eq!(done["counts"], json!({ "completed": 5, "failed": 0 }), "{done}");
    settled(&db, &server, &account, &done, 100_000).await;
    // A chunk that fails at its last attempt fails its own items only.
    upstream.breaks(Fault::Status(500));
    let id = submitted(&server, &account.key, &items).await;
    db.execute("UPDATE job SET max_attempts = 1 WHERE kind = 'run_batch_chunk' AND state <> 'succeeded'")
        .await;
    db.execute(
        "UPDATE job SET attempts = 0, due_at = 0, delivered_at = NULL WHERE kind = 'run_batch_chunk' \
        AND state = 'queued'",
    )
    .await;
    let done = ended(&server, &account.key, &id).await;
    assert_eq!(done["status"], "completed");
    let results = results(&server, &account.key, &id).await;
    let failed: Vec<&Value> = results.iter().filter(|one| !one["error"].is_null()).collect();
    assert!(
        failed.len() >= 4 && failed.iter().all(|one| one["response"]["status_code"] == 500),
        "{results:?}"
    );
    assert_eq!(milli(&done["credits_charged"]), (5 - failed.len() as i64) * PRICE);
}

async fn an_erased_account_leaves_no_batch(db: Db) {
    let upstream = Upstream::start().await;
    let server = slow(&db, &upstream).start().await;
    let account = server.account(100).await;
    let other = server.account(100).await;
    submitted(&server, &account.key, &questions(150)).await;
    let theirs = submitted(&server, &other.key, &questions(3)).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    db.cli(&["account", "erase", "--account", &account.id, "--confirm", &account.email]).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let left = inv::count(&db, &format!("batch WHERE account_id = '{}'", account.id)).await;
    assert_eq!(left, 0);
    let done = ended(&server, &other.key, &theirs).await;
    assert_eq!(done["counts"]["completed"], 3, "the other account's batch continues");
}

on_both!(
    a_cancelled_batch_keeps_its_completed_items,
    a_batch_outlives_its_worker,
    a_batch_outlives_the_key_that_submitted_it,
    a_batch_expires,
    an_engine_that_fails_for_a_while_fails_no_item,
    an_erased_account_leaves_no_batch,
);
