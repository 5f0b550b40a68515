//! Clients that disconnect: before the answer, in the middle of it, and many at once. Each request is charged
//! once, and a client that returns with the same `Idempotency-Key` receives the answer.

use std::time::Duration;

use super::{
    load::{Load, MARKER},
    settled::{check, no_log_holds_content, report},
};
use crate::harness::{Account, Db, RawConnection, Server, eventually, inv, on_both, on_sqlite};

fn request(account: &Account, idempotency_key: Option<&str>) -> String {
    let body = serde_json::json!({ "content": MARKER }).to_string();
    let idempotent = idempotency_key.map_or(String::new(), |key| format!("Idempotency-Key: {key}\r\n"));
    format!(
        "POST /api/v1/moderate/text HTTP/1.1\r\nHost: gavel\r\nx-api-key: {}\r\n{idempotent}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        account.key,
        body.len()
    )
}

async fn a_client_that_disconnects_is_charged_at_most_once_and_can_retry(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1_000).await;
    for number in 0..40 {
        let key = format!("gone-{number}");
        let mut raw = RawConnection::connect(&server).await;
        raw.send(request(&account, Some(&key))).await;
        // Disconnects between before the request is read and after it is answered.
        tokio::time::sleep(Duration::from_micros(number * 250)).await;
        drop(raw);
        let (first, second) = tokio::join!(
            server.moderate(&account.key, MARKER).idempotent(&key).send(),
            server.moderate(&account.key, MARKER).idempotent(&key).send(),
        );
        assert_eq!(first.clone().ok(), second.ok());
        assert_eq!(first.remaining(), 1_000_000 - (number as i64 + 1) * 500);
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 40);
    no_log_holds_content(&db);
}

async fn a_truncated_answer_is_charged_once(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1_000).await;
    for number in 0..10 {
        let key = format!("cut-{number}");
        let mut raw = RawConnection::connect(&server).await;
        raw.send(request(&account, Some(&key))).await;
        // Its first bytes arrive. Closing then resets the connection, since the rest is unread.
        assert!(!raw.silent_for(Duration::from_secs(10)).await);
        drop(raw);
        let charged = inv::charges(&db, &account.id).await;
        assert_eq!(charged.len(), number + 1, "it was answered, so it was charged");
        let answer = server.moderate(&account.key, MARKER).idempotent(&key).send().await;
        assert_eq!(answer.header("idempotent-replayed"), Some("true"));
        assert_eq!(answer.clone().ok()["id"].as_str(), charged[number].reference.as_deref());
    }
    assert_eq!(inv::charges(&db, &account.id).await.len(), 10);
}

async fn requests_on_a_dropped_connection_are_each_charged_at_most_once(db: Db) {
    let server = Server::start(&db).await;
    let account = server.account(1_000).await;
    for _ in 0..20 {
        let mut raw = RawConnection::connect(&server).await;
        raw.send(request(&account, None).repeat(5)).await;
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    let settled = eventually("all pending requests are done", async || {
        let before = inv::charges(&db, &account.id).await.len();
        tokio::time::sleep(Duration::from_millis(300)).await;
        let after = inv::charges(&db, &account.id).await.len();
        (before == after).then_some(after)
    })
    .await;
    assert!(settled <= 100, "{settled} charges for 100 requests");
    assert_eq!(inv::balance(&db, &account.id).await, 1_000_000 - settled as i64 * 500);
}

async fn requests_over_the_limit_are_refused_and_cost_nothing(db: Db) {
    let server = Server::with(&db).env("GAVEL_REQUESTS_IN_FLIGHT", 4).start().await;
    let account = server.account(100_000).await;
    let load = Load::start(&account, &[&server], 64);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let sent = load.stop().await;
    for answer in sent.iter().filter_map(|one| one.answer.as_ref()).filter(|answer| answer.status != 200) {
        answer.fails(503, "OVERLOADED");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    let figures = check(&db, &account, &sent).await;
    report("overload, 64 clients for 4 places", &figures);
    assert_eq!(figures.by_status.keys().copied().collect::<Vec<_>>(), [200, 503]);
    assert_eq!((figures.charges, figures.refunds), (figures.by_status[&200], 0));
    no_log_holds_content(&db);
}

on_both!(
    a_client_that_disconnects_is_charged_at_most_once_and_can_retry,
    requests_over_the_limit_are_refused_and_cost_nothing,
);
on_sqlite!(
    a_truncated_answer_is_charged_once,
    requests_on_a_dropped_connection_are_each_charged_at_most_once,
);
