//! Limits: how long a receiver may delay a retry, how many deliveries may wait, and which are kept.

use chrono::{DateTime, Utc};
use domain::{background::webhook, foundation::database::Database};
use serde_json::{Value, json};

use super::{
    asking::*,
    receiver::{Receiver, Reply},
};
use crate::{
    batches::{submitted, text},
    harness::{Db, Server, on_both},
};

async fn an_endpoint_can_delay_the_next_attempt_by_a_day_at_most(db: Db) {
    let server = allowing(&db, "127.0.0.1").start().await;
    let mine = tenant(&db).await;
    for (asked, least, most) in [("1800", 1_790, 1_801), ("0", 0, 10), ("99999999", 86_390, 86_401)] {
        let header = format!("Retry-After: {asked}");
        let busy = Receiver::start("127.0.0.1", move |_| Reply::With(503, header.clone())).await;
        let (id, _) = endpoint(&server, &mine, &busy.url(), &[]).await;
        ping(&server, &mine, &id).await;
        let failed = newest_is(&server, &mine, &id, |delivery| delivery["attempts"] == 1).await;
        let next = failed["deliveries"]["nodes"][0]["nextAttemptAt"].as_str().unwrap().to_owned();
        let next: DateTime<Utc> = next.parse().unwrap();
        let wait = (next - Utc::now()).num_seconds();
        assert!((least..=most).contains(&wait), "{asked}: {wait} s");
    }
}

/// Copies a delivery `count` times, with this state and this SQL for the time of its end.
async fn copies(db: &Db, of: &str, count: u32, state: &str, finished: &str) {
    let copies = db
        .execute(&format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
             INSERT INTO webhook_delivery (id, account_id, endpoint_id, event_id, event_type, payload, job_id, state, \
                 attempts, created_at, finished_at) \
             SELECT d.id || '-' || '{state}' || (10000 + n.i), d.account_id, d.endpoint_id, \
                 d.event_id || '-' || '{state}' || (10000 + n.i), d.event_type, d.payload, d.job_id, \
                 '{state}', 0, d.created_at, {finished} \
             FROM webhook_delivery d, n WHERE d.id = '{of}'"
        ))
        .await;
    assert_eq!(copies, u64::from(count));
}

async fn at_most_a_thousand_deliveries_wait(db: Db) {
    let server = allowing(&db, "127.0.0.1").start().await;
    let mine = tenant(&db).await;
    let other = tenant(&db).await;
    let busy = Receiver::start("127.0.0.1", |_| Reply::With(503, "Retry-After: 7200".to_owned())).await;
    let (id, _) = endpoint(&server, &mine, &busy.url(), &[]).await;
    let first = ping(&server, &mine, &id).await;
    newest_is(&server, &mine, &id, |delivery| delivery["attempts"] == 1).await;
    copies(&db, &first, 999, "queued", "NULL").await;

    let refused = by_id(&server, &mine.key, "testWebhookEndpoint", &id, "webhookDelivery { id }").await;
    assert_eq!(refused["userErrors"][0]["code"], "CONFLICT", "{refused}");
    let batch = submitted(&server, &mine.key, &[text("a", "hello there")]).await;
    let ended = newest_is(&server, &mine, &id, |delivery| delivery["eventType"] == "batch.completed").await;
    let delivery = &ended["deliveries"]["nodes"][0];
    assert_eq!(delivery["state"], "FAILED", "{delivery}");
    assert_eq!(delivery["error"], "not sent: 1,000 deliveries of the account wait to be sent");
    assert!(batch.starts_with("batch_") && busy.received().len() == 1);
    let again = delivery["id"].as_str().unwrap();
    let refused = by_id(&server, &mine.key, "redeliverWebhook", again, "webhookDelivery { id }").await;
    assert_eq!(refused["userErrors"][0]["code"], "CONFLICT", "{refused}");

    // Another account has its own limit.
    let well = Receiver::start("127.0.0.1", |_| Reply::Status(200)).await;
    let (theirs, _) = endpoint(&server, &other, &well.url(), &[]).await;
    ping(&server, &other, &theirs).await;
    has_received(&well, 1).await;

    // A delivery that has ended makes room for another one.
    db.execute(&format!(
        "UPDATE webhook_delivery SET state = 'failed', finished_at = created_at WHERE id LIKE '{first}-queued10001'"
    ))
    .await;
    ping(&server, &mine, &id).await;
}

/// The number of an endpoint's deliveries.
async fn total(server: &Server, of: &Tenant, endpoint: &str) -> Value {
    state(server, of, endpoint).await["deliveries"]["totalCount"].clone()
}

async fn old_deliveries_are_pruned_unless_they_wait(db: Db) {
    let server = allowing(&db, "127.0.0.1").start().await;
    let mine = tenant(&db).await;
    let well = Receiver::start("127.0.0.1", |_| Reply::Status(200)).await;
    let (id, _) = endpoint(&server, &mine, &well.url(), &[]).await;
    let first = ping(&server, &mine, &id).await;
    newest_is(&server, &mine, &id, |delivery| delivery["state"] == "DELIVERED").await;
    copies(&db, &first, 1_500, "failed", "'2026-01-01 00:00:00+00:00'").await;
    copies(&db, &first, 10, "queued", "NULL").await;
    assert_eq!(total(&server, &mine, &id).await, json!(1_511));
    let connected = Database::connect(db.url(), 2).await.unwrap();
    assert_eq!(webhook::prune(&connected).await.unwrap(), 1_500);
    assert_eq!(total(&server, &mine, &id).await, json!(11));

    // The newest ten thousand ended deliveries are kept; the original one has the least id.
    copies(&db, &first, 10_002, "failed", "d.created_at").await;
    assert_eq!(webhook::prune(&connected).await.unwrap(), 3);
    assert_eq!(total(&server, &mine, &id).await, json!(10_010));
    let kept = state(&server, &mine, &id).await;
    let kept = kept["deliveries"]["nodes"].as_array().unwrap().iter().map(|one| one["id"].clone());
    assert!(!kept.into_iter().any(|id: Value| id == json!(first)));
}

on_both!(
    an_endpoint_can_delay_the_next_attempt_by_a_day_at_most,
    at_most_a_thousand_deliveries_wait,
    old_deliveries_are_pruned_unless_they_wait,
);
