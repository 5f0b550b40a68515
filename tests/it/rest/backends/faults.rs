//! Every way a server fails: 500 within the deadline, nothing charged, no more requests than may help.

use std::time::Duration;

use serde_json::{Value, json};

use super::asking::{ask, asked, local, openrouter};
use crate::harness::{Db, Fault, Server, Upstream, inv, on_sqlite};

/// Far above every deadline here: what takes longer has none.
const PATIENCE: Duration = Duration::from_secs(60);

/// Each fault, and how often the same question is put in all.
fn faults() -> Vec<(Fault, usize)> {
    let answered = |text| (Fault::Body(text), 1);
    let altered = |alter: fn(&mut Value)| (Fault::Altered(alter), 1);
    vec![
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
        // Later than there is time for.
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
        answered(""),
        answered("<html>not here</html>"),
        answered("[1, 2"),
        answered("[]"),
        answered("\u{0}"),
        answered(r#"{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}"#),
        answered(
            r#"{"answers":{"team":{"type":"choice","choice":"billing","probabilities":{"billing":1}}}}"#,
        ),
        answered(r#"{"model":"m","answers":[]}"#),
        answered(r#"{"model":"m","answers":{"team":{"type":"choice","probabilities":{"billing":NaN}}}}"#),
        answered(r#"{"model":"m","answers":{"team":{"type":"choice","probabilities":{"billing":1e999}}}}"#),
        altered(|body| body["answers"] = json!({})),
        altered(|body| body["answers"]["team"]["choice"] = "legal".into()),
        altered(|body| body["answers"]["team"]["probabilities"]["legal"] = json!(0.5)),
        altered(|body| body["answers"]["team"]["probabilities"]["billing"] = json!(1.5)),
        altered(|body| body["answers"]["team"]["probabilities"]["billing"] = json!(-0.1)),
        altered(|body| body["answers"]["team"]["probabilities"]["billing"] = "likely".into()),
        altered(|body| body["answers"]["team"]["probabilities"] = json!({ "billing": 0, "returns": 0 })),
        altered(|body| body["answers"]["team"]["probabilities"] = json!({})),
        altered(|body| body["answers"]["team"] = json!({ "type": "noul", "noul": 0.5 })),
        altered(|body| body["answers"]["team"] = json!(null)),
        altered(|body| body["usage"]["input_tokens"] = json!(-1)),
        altered(|body| body["usage"]["output_tokens"] = json!(u64::MAX)),
        altered(|body| body["model"] = json!("")),
        altered(|body| body["model"] = json!("one\u{0}two")),
    ]
}

async fn each_fault_is_a_500_in_time_and_costs_nothing(db: Db) {
    let upstream = Upstream::start().await;
    let server =
        local(&db, &upstream).env("GAVEL_BACKEND_TIMEOUT_S", 10).env("GAVEL_BACKEND_BREAKER_FAILURES", 1000);
    let server = server.start().await;
    let account = server.account(10).await;
    for (fault, times) in faults() {
        let before = upstream.asked().len();
        upstream.breaks(fault.clone());
        let answer = tokio::time::timeout(PATIENCE, asked(&server, &account)).await;
        let answer = answer.unwrap_or_else(|_| panic!("{fault:?} never ends"));
        let message = answer.fails(500, "UPSTREAM_FAILED");
        assert_eq!(message, "the local backend could not answer; nothing was charged", "{fault:?}");
        assert_eq!(upstream.asked().len() - before, times, "{fault:?}");
    }
    assert!(inv::charges(&db, &account.id).await.is_empty());
    assert_eq!(inv::balance(&db, &account.id).await, 10_000);
    let failed = r#"gavel_backend_requests_total{backend="local",outcome="failed"}"#;
    // What cannot be an answer is one that failed later.
    assert!(server.metric(failed).await > 0.0);
    let retries = faults().iter().map(|(_, times)| times - 1).sum::<usize>() as f64;
    assert_eq!(server.metric(r#"gavel_backend_retries_total{backend="local"}"#).await, retries);
    upstream.heals();
    asked(&server, &account).await.ok();
    assert_eq!(inv::balance(&db, &account.id).await, 9_500);
}

async fn a_server_that_takes_its_time_is_given_up(db: Db) {
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
        answer.unwrap_or_else(|_| panic!("{fault:?} never ends")).fails(500, "UPSTREAM_FAILED");
    }
    assert_eq!(upstream.asked().len(), 4, "a slow answer is not asked for again");
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn nobody_listening_is_a_500(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    drop(upstream);
    asked(&server, &account).await.fails(500, "UPSTREAM_FAILED");
    assert!(inv::charges(&db, &account.id).await.is_empty());
}

async fn a_refused_key_is_told_to_the_operator_alone(db: Db) {
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
    each_fault_is_a_500_in_time_and_costs_nothing,
    a_server_that_takes_its_time_is_given_up,
    nobody_listening_is_a_500,
    a_refused_key_is_told_to_the_operator_alone,
);
