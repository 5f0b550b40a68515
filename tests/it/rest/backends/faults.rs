//! Every fault of a model server: 500 within the deadline, no charge, and retries only where they can help.

use std::time::Duration;

use serde_json::{Value, json};

use super::asking::{ask, asked, local, openrouter};
use crate::harness::{Db, Fault, Server, Upstream, inv, on_sqlite};

/// Far above every deadline in these tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bodies that are no answers.
const WRONG_BODIES: [&str; 10] = [
    "",
    "<html>not here</html>",
    "[1, 2",
    "[]",
    "\u{0}",
    r#"{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}"#,
    r#"{"answers":{"team":{"type":"choice","choice":"billing","probabilities":{"billing":1}}}}"#,
    r#"{"model":"m","answers":[]}"#,
    r#"{"model":"m","answers":{"team":{"type":"choice","probabilities":{"billing":NaN}}}}"#,
    r#"{"model":"m","answers":{"team":{"type":"choice","probabilities":{"billing":1e999}}}}"#,
];

/// Alterations that make an answer invalid.
const ALTERATIONS: [fn(&mut Value); 14] = [
    |body| body["answers"] = json!({}),
    |body| body["answers"]["team"]["choice"] = "legal".into(),
    |body| body["answers"]["team"]["probabilities"]["legal"] = json!(0.5),
    |body| body["answers"]["team"]["probabilities"]["billing"] = json!(1.5),
    |body| body["answers"]["team"]["probabilities"]["billing"] = json!(-0.1),
    |body| body["answers"]["team"]["probabilities"]["billing"] = "likely".into(),
    |body| body["answers"]["team"]["probabilities"] = json!({ "billing": 0, "returns": 0 }),
    |body| body["answers"]["team"]["probabilities"] = json!({}),
    |body| body["answers"]["team"] = json!({ "type": "noul", "noul": 0.5 }),
    |body| body["answers"]["team"] = json!(null),
    |body| body["usage"]["input_tokens"] = json!(-1),
    |body| body["usage"]["output_tokens"] = json!(u64::MAX),
    |body| body["model"] = json!(""),
    |body| body["model"] = json!("one\u{0}two"),
];

/// Each fault, and the number of attempts.
fn faults() -> Vec<(Fault, usize)> {
    let mut faults = vec![
        (Fault::Status(400), 1),
        (Fault::Status(401), 1),
        (Fault::Status(402), 1),
        (Fault::Status(403), 1),
        (Fault::Status(404), 1),
        (Fault::Status(422), 1),
        (Fault::Status(408), 3),
        (Fault::Status(429), 3),
        (Fault::Status(500), 3),
        (Fault::Status(503), 3),
        (Fault::Status(529), 3),
        (Fault::Status(204), 1),
        // A pause beyond the deadline.
        (Fault::StatusWith(429, "Retry-After", "60".to_owned()), 1),
        (Fault::StatusWith(503, "retry-after-ms", "1e300".to_owned()), 3),
        (Fault::ErrorWithin(402), 1),
        (Fault::ErrorWithin(503), 3),
        (Fault::Reset, 3),
        (Fault::ResetWithin, 3),
        (Fault::CutShort, 3),
        (Fault::Redirect, 1),
        (Fault::Endless, 1),
        (Fault::Huge, 1),
    ];
    // An invalid answer is not retried.
    faults.extend(WRONG_BODIES.map(|body| (Fault::Body(body), 1)));
    faults.extend(ALTERATIONS.map(|alter| (Fault::Altered(alter), 1)));
    faults
}

async fn each_fault_is_a_timely_500_and_costs_nothing(db: Db) {
    let upstream = Upstream::start().await;
    let server =
        local(&db, &upstream).env("GAVEL_BACKEND_TIMEOUT_S", 10).env("GAVEL_BACKEND_BREAKER_FAILURES", 1000);
    let server = server.start().await;
    let account = server.account(10).await;
    for (fault, times) in faults() {
        let before = upstream.asked().len();
        upstream.breaks(fault.clone());
        let answer = tokio::time::timeout(PATIENCE, asked(&server, &account)).await;
        let answer = answer.unwrap_or_else(|_| panic!("{fault:?} does not end"));
        let message = answer.fails(500, "UPSTREAM_FAILED");
        assert_eq!(message, "the local backend could not answer; nothing was charged", "{fault:?}");
        assert_eq!(upstream.asked().len() - before, times, "{fault:?}");
    }
    assert!(inv::charges(&db, &account.id).await.is_empty());
    assert_eq!(inv::balance(&db, &account.id).await, 10_000);
    let failed = r#"gavel_backend_requests_total{backend="local",outcome="failed"}"#;
    // An invalid answer counts as failed.
    assert!(server.metric(failed).await > 0.0);
    let retries = faults().iter().map(|(_, times)| times - 1).sum::<usize>() as f64;
    assert_eq!(server.metric(r#"gavel_backend_retries_total{backend="local"}"#).await, retries);
    upstream.heals();
    asked(&server, &account).await.ok();
    assert_eq!(inv::balance(&db, &account.id).await, 9_500);
}

async fn a_slow_server_is_abandoned(db: Db) {
    let upstream = Upstream::start().await;
    let server = openrouter(Server::with(&db), &upstream)
        .env("GAVEL_BACKEND_TIMEOUT_S", 1)
        .env("GAVEL_BACKEND_BREAKER_FAILURES", 1000);
    let server = server.start().await;
    let account = server.account(10).await;
    for fault in [Fault::Silent, Fault::Stalled, Fault::Drip, Fault::Late(PATIENCE)] {
        upstream.breaks(fault.clone());
        let request = ask(&server, &account, json!({ "backend": "openrouter" }));
        let answer = tokio::time::timeout(PATIENCE / 2, request.send()).await;
        answer.unwrap_or_else(|_| panic!("{fault:?} does not end")).fails(500, "UPSTREAM_FAILED");
    }
    assert_eq!(upstream.asked().len(), 4, "a slow answer is not retried");
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn an_unreachable_server_is_a_500(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    drop(upstream);
    asked(&server, &account).await.fails(500, "UPSTREAM_FAILED");
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn a_refused_key_is_reported_to_the_operator_only(db: Db) {
    let upstream = Upstream::start().await;
    let server = openrouter(Server::with(&db), &upstream).start().await;
    db.record().key(super::asking::OPENROUTER_KEY);
    let account = server.account(10).await;
    for (status, said) in [(401, "see the setting openrouter_api_key"), (402, "has no money left")] {
        upstream.breaks(Fault::Status(status));
        let answer = ask(&server, &account, json!({ "backend": "openrouter" })).send().await;
        let message = answer.fails(500, "UPSTREAM_FAILED");
        assert!(!message.contains("key") && !message.contains("money"), "{message}");
        assert!(server.log().contains(said), "{}", server.log());
    }
}

on_sqlite!(
    each_fault_is_a_timely_500_and_costs_nothing,
    a_slow_server_is_abandoned,
    an_unreachable_server_is_a_500,
    a_refused_key_is_reported_to_the_operator_only,
);
