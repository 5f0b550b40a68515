//! Charges for answers of model servers: no request without credits, no charge for failures, one charge per answer.

use crate::holds::{funds, nothing_held};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::asking::{INFERENCE, ask, asked, local, question};
use crate::harness::{Db, Fault, RawConnection, Upstream, eventually, inv, on_both};

async fn no_server_is_asked_without_sufficient_credits(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account("0.25").await;
    asked(&server, &account).await.fails(402, "INSUFFICIENT_CREDITS");
    ask(&server, &account, json!({})).idempotent("poor-1").send().await.fails(402, "INSUFFICIENT_CREDITS");
    assert!(upstream.asked().is_empty());
}

async fn a_retry_after_a_failure_is_answered_and_charged_once(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).env("GAVEL_BACKEND_RETRIES", 0).start().await;
    let account = server.account("0.5").await;

    for fault in [Fault::Status(500), Fault::Reset, Fault::Body("garbage")] {
        upstream.next([Some(fault)]);
        ask(&server, &account, json!({})).idempotent("again-1").send().await.fails(500, "UPSTREAM_FAILED");
    }
    let first = ask(&server, &account, json!({})).idempotent("again-1").send().await;
    let second = ask(&server, &account, json!({})).idempotent("again-1").send().await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (200, None), "{}", first.text);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(first.ok(), second.ok());
    assert_eq!(upstream.asked().len(), 4);
    let charges = inv::charges(&db, &account.id).await;
    assert_eq!((charges.len(), charges[0].endpoint.as_deref()), (1, Some(INFERENCE)));
    assert!(charges[0].reference.as_deref().unwrap().starts_with("inf_"));
}

async fn a_client_that_disconnects_is_charged_for_completed_work(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    upstream.next([Some(Fault::Late(Duration::from_secs(1)))]);
    let body = question().to_string();
    let mut raw = RawConnection::connect(&server).await;
    raw.send(format!(
        "POST {INFERENCE} HTTP/1.1\r\nHost: gavel\r\nx-api-key: {}\r\nIdempotency-Key: gone-1\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        account.key,
        body.len()
    ))
    .await;
    eventually("the model server is asked", async || (upstream.asked().len() == 1).then_some(())).await;
    drop(raw);
    eventually("it is charged", async || (inv::charges(&db, &account.id).await.len() == 1).then_some(()))
        .await;
    let replay = ask(&server, &account, json!({})).idempotent("gone-1").send().await;
    assert_eq!(replay.header("idempotent-replayed"), Some("true"), "{}", replay.text);
    assert_eq!((upstream.asked().len(), inv::balance(&db, &account.id).await), (1, 9_500));
}

/// Two duplicates wait until the first request fails; the last one to have its turn is then too late.
async fn an_abandoned_request_is_not_charged_when_its_work_completes(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).env("GAVEL_BACKEND_TIMEOUT_S", 21).start().await;
    let account = server.account(10).await;
    // 21 s, 21 s and 20 s, where a request may take 60 s.
    upstream.next([Some(Fault::Silent), Some(Fault::Silent), Some(Fault::Late(Duration::from_secs(20)))]);
    let duplicates = (0..3).map(|_| ask(&server, &account, json!({})).idempotent("slow-1").send());
    let answers = join_all(duplicates).await;
    let (late, failed): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 503);
    for answer in &failed {
        answer.fails(500, "UPSTREAM_FAILED");
    }
    assert_eq!((late.len(), failed.len()), (1, 2));
    late[0].fails(503, "OVERLOADED");
    assert_eq!(funds(&db, &account).await.1, 500, "the work continues");
    nothing_held(&db, &account).await;
    assert_eq!(inv::charges(&db, &account.id).await.len(), 0);
    let again = ask(&server, &account, json!({})).idempotent("slow-1").send().await;
    assert_eq!(again.header("idempotent-replayed"), None);
    assert_eq!((again.remaining(), upstream.asked().len()), (9_500, 4));
}

on_both!(
    no_server_is_asked_without_sufficient_credits,
    a_retry_after_a_failure_is_answered_and_charged_once,
    a_client_that_disconnects_is_charged_for_completed_work,
    an_abandoned_request_is_not_charged_when_its_work_completes,
);
