//! The circuit breaker: a server that keeps failing is not asked until it may have recovered.

use std::time::Duration;

use serde_json::json;

use super::asking::{ask, asked, local};
use crate::harness::{Db, Fault, Server, Upstream, eventually, inv, on_sqlite};

const STATE: &str = r#"gavel_backend_breaker_state{backend="local"}"#;

async fn the_breaker_opens_after_failures_and_closes_after_a_success(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream)
        .env("GAVEL_BACKEND_RETRIES", 0)
        .env("GAVEL_BACKEND_BREAKER_FAILURES", 3)
        .env("GAVEL_BACKEND_BREAKER_COOL_DOWN_S", 2);
    let server = server.start().await;
    let account = server.account(100).await;
    upstream.next([Some(Fault::Status(500)), Some(Fault::Status(500)), None]);
    for status in [500, 500, 200] {
        assert_eq!(asked(&server, &account).await.status, status);
    }
    assert_eq!(server.metric(STATE).await, 0.0, "a success in between: the failures are not in a row");
    upstream.breaks(Fault::Status(502));
    for _ in 0..20 {
        asked(&server, &account).await.fails(500, "UPSTREAM_FAILED");
    }
    assert_eq!(server.metric(STATE).await, 2.0);
    // More than three only if a slow machine passed the cool-down meanwhile.
    let while_broken = upstream.asked().len() - 3;
    assert!((3..10).contains(&while_broken), "asked {while_broken} times while it was broken");
    upstream.heals();
    eventually("it is tried again", async || (asked(&server, &account).await.status == 200).then_some(()))
        .await;
    assert_eq!(server.metric(STATE).await, 0.0);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

async fn the_first_question_to_an_llm_that_has_recovered_is_answered(db: Db) {
    let llm = Upstream::start().await;
    let server = Server::with(&db)
        .env("GAVEL_BACKENDS__LLM__KIND", "openai_chat")
        .env("GAVEL_BACKENDS__LLM__URL", llm.url())
        .env("GAVEL_BACKEND_RETRIES", 0)
        .env("GAVEL_BACKEND_BREAKER_FAILURES", 3)
        .env("GAVEL_BACKEND_BREAKER_COOL_DOWN_S", 1);
    let server = server.start().await;
    let account = server.account(100).await;
    llm.breaks(Fault::Status(502));
    for _ in 0..6 {
        ask(&server, &account, json!({ "model": "llm" })).send().await.fails(500, "UPSTREAM_FAILED");
    }
    llm.heals();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let before = llm.asked().len();
    // Both orders of its options, of which one is the trial.
    ask(&server, &account, json!({ "model": "llm" })).send().await.ok();
    assert_eq!(llm.asked().len() - before, 2);
}

async fn refused_requests_do_not_open_the_breaker(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).env("GAVEL_BACKEND_BREAKER_FAILURES", 2).start().await;
    let account = server.account(10).await;
    upstream.next([400, 422, 404, 413].map(|status| Some(Fault::Status(status))));
    for _ in 0..4 {
        asked(&server, &account).await.fails(500, "UPSTREAM_FAILED");
    }
    asked(&server, &account).await.ok();
}

async fn slow_requests_of_one_account_do_not_open_the_breaker(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).env("GAVEL_BACKEND_TIMEOUT_S", 1).env("GAVEL_BACKEND_RETRIES", 0);
    let server = server.start().await;
    let account = server.account(100).await;
    let victim = server.account(100).await;
    upstream.next((0..8).map(|_| Some(Fault::Silent)));
    for _ in 0..8 {
        asked(&server, &account).await.fails(500, "UPSTREAM_FAILED");
    }
    asked(&server, &victim).await.ok();
    assert_eq!(server.metric(STATE).await, 0.0);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 0);
}

on_sqlite!(
    slow_requests_of_one_account_do_not_open_the_breaker,
    the_breaker_opens_after_failures_and_closes_after_a_success,
    the_first_question_to_an_llm_that_has_recovered_is_answered,
    refused_requests_do_not_open_the_breaker,
);
