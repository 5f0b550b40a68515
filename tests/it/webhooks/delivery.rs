//! Retries, redelivery, rotated secrets, and the disabling of endpoints that fail.

use serde_json::{Value, json};

use super::{
    asking::*,
    receiver::{Receiver, Reply},
};
use crate::harness::{Db, eventually, on_both};

async fn a_failed_attempt_is_repeated_with_the_same_id(db: Db) {
    let server = allowing(&db, "127.0.0.1").start().await;
    let mine = tenant(&db).await;
    let receiver = Receiver::start("127.0.0.1", |before| Reply::Status([500, 200][before.min(1)])).await;
    let (id, secret) = endpoint(&server, &mine, &receiver.url(), &[]).await;
    ping(&server, &mine, &id).await;
    let failed = newest_is(&server, &mine, &id, |delivery| delivery["attempts"] == 1).await;
    let delivery = &failed["deliveries"]["nodes"][0];
    assert_eq!((&delivery["state"], &delivery["status"]), (&json!("QUEUED"), &json!(500)), "{failed}");
    assert_eq!(delivery["error"], "the endpoint answered 500");
    assert!(delivery["nextAttemptAt"].is_string() && failed["failingSince"].is_string(), "{failed}");

    let done = newest_is(&server, &mine, &id, |delivery| delivery["state"] == "DELIVERED").await;
    let delivery = &done["deliveries"]["nodes"][0];
    assert_eq!((&delivery["attempts"], &delivery["status"]), (&json!(2), &json!(200)));
    assert_eq!((&delivery["error"], &delivery["nextAttemptAt"]), (&Value::Null, &Value::Null));
    assert_eq!(done["failingSince"], Value::Null);
    let received = receiver.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_eq!(received[0].header("webhook-id"), delivery["eventId"].as_str().unwrap());
    assert_eq!(received[0].body, received[1].body);
    assert!(received[0].header("webhook-timestamp") < received[1].header("webhook-timestamp"));
    assert!(received.iter().all(|one| one.signatures_by(&secret) == 1));

    // Redelivered on request.
    let again = delivery["id"].as_str().unwrap();
    let sent =
        by_id(&server, &mine.key, "redeliverWebhook", again, "webhookDelivery { state attempts }").await;
    assert_eq!(sent["webhookDelivery"], json!({ "state": "QUEUED", "attempts": 2 }), "{sent}");
    has_received(&receiver, 3).await;
    assert_eq!(receiver.received()[2].header("webhook-id"), received[0].header("webhook-id"));
    let done = newest_is(&server, &mine, &id, |delivery| delivery["state"] == "DELIVERED").await;
    assert_eq!(done["deliveries"]["totalCount"], 1);
}

async fn endpoints_that_are_gone_or_fail_for_days_are_disabled(db: Db) {
    let server = allowing(&db, "127.0.0.1").start().await;
    let mine = tenant(&db).await;
    let gone = Receiver::start("127.0.0.1", |_| Reply::Status(410)).await;
    let (id, _) = endpoint(&server, &mine, &gone.url(), &[]).await;
    ping(&server, &mine, &id).await;
    let disabled = newest_is(&server, &mine, &id, |delivery| delivery["state"] == "FAILED").await;
    assert_eq!(disabled["enabled"], false);
    assert_eq!(disabled["disabledReason"], "the endpoint answered 410 (Gone)", "{disabled}");
    let refused = by_id(&server, &mine.key, "testWebhookEndpoint", &id, "webhookDelivery { id }").await;
    assert_eq!(refused["userErrors"][0]["code"], "CONFLICT", "{refused}");
    assert_eq!(gone.received().len(), 1, "it is not retried");

    let broken = Receiver::start("127.0.0.1", |_| Reply::Status(503)).await;
    let (id, _) = endpoint(&server, &mine, &broken.url(), &[]).await;
    ping(&server, &mine, &id).await;
    let failing = newest_is(&server, &mine, &id, |delivery| delivery["attempts"] == 1).await;
    assert_eq!(failing["enabled"], true);
    db.execute(&format!(
        "UPDATE webhook_endpoint SET failing_since = '2026-01-01 00:00:00+00:00' WHERE id = '{id}'"
    ))
    .await;
    let disabled = eventually("it is disabled", async || {
        let state = state(&server, &mine, &id).await;
        (state["enabled"] == false).then_some(state)
    })
    .await;
    let reason = disabled["disabledReason"].as_str().unwrap();
    assert_eq!(reason, "no delivery has succeeded for 5 days; the last error: the endpoint answered 503");
    // Enabling resets the failures.
    let enable = format!(
        "mutation {{ payload: updateWebhookEndpoint(input: {{ id: \"{id}\", enabled: true }}) {{ \
         webhookEndpoint {{ enabled disabledReason failingSince }} }} }}"
    );
    let enabled = server.ask(&mine.key, &enable, json!({})).await;
    let clean = json!({ "enabled": true, "disabledReason": null, "failingSince": null });
    assert_eq!(enabled["payload"]["webhookEndpoint"], clean);
    let log = server.ask(&mine.key, "{ account { auditLog { nodes { action target } } } }", json!({})).await;
    let entries = log["account"]["auditLog"]["nodes"].as_array().unwrap();
    assert_eq!(entries.iter().filter(|entry| entry["action"] == "WEBHOOK_DISABLE").count(), 2, "{log}");
}

async fn an_old_secret_signs_beside_the_new_one_for_a_day(db: Db) {
    let server = allowing(&db, "127.0.0.1").start().await;
    let mine = tenant(&db).await;
    let receiver = Receiver::start("127.0.0.1", |_| Reply::Status(200)).await;
    let (id, old) = endpoint(&server, &mine, &receiver.url(), &[]).await;
    let select = "secret webhookEndpoint { previousSecretUntil }";
    let rotated = by_id(&server, &mine.key, "rotateWebhookSecret", &id, select).await;
    let new = rotated["secret"].as_str().unwrap();
    db.record().key(new);
    assert_ne!(new, old);
    let until = rotated["webhookEndpoint"]["previousSecretUntil"].as_str().unwrap();
    let hours =
        (chrono::DateTime::parse_from_rfc3339(until).unwrap().to_utc() - chrono::Utc::now()).num_minutes();
    assert!((1_400..=1_440).contains(&hours), "{until}");
    ping(&server, &mine, &id).await;
    has_received(&receiver, 1).await;
    db.execute("UPDATE webhook_endpoint SET previous_secret_until = '2026-01-01 00:00:00+00:00'").await;
    ping(&server, &mine, &id).await;
    has_received(&receiver, 2).await;
    let received = receiver.received();
    for (request, signatures) in received.iter().zip([2, 1]) {
        assert_eq!(request.header("webhook-signature").split(' ').count(), signatures);
    }
    assert_eq!((received[0].signatures_by(&old), received[0].signatures_by(new)), (1, 1));
    assert_eq!((received[1].signatures_by(&old), received[1].signatures_by(new)), (0, 1));
}

on_both!(
    a_failed_attempt_is_repeated_with_the_same_id,
    endpoints_that_are_gone_or_fail_for_days_are_disabled,
    an_old_secret_signs_beside_the_new_one_for_a_day,
);
