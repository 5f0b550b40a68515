//! Transient faults are retried; requests over the limit are refused.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::task::JoinSet;

use super::asking::{ask, asked, local};
use crate::harness::{Db, Fault, Upstream, inv, on_sqlite};

async fn transient_failures_are_retried(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    upstream.next([Some(Fault::Status(500)), Some(Fault::Reset)]);
    asked(&server, &account).await.ok();
    assert_eq!(upstream.asked().len(), 3);
    assert_eq!(server.metric(r#"gavel_backend_retries_total{backend="local"}"#).await, 2.0);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn a_requested_pause_is_respected(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    for (name, value) in [("retry-after-ms", "1500"), ("Retry-After", "1")] {
        upstream.next([Some(Fault::StatusWith(429, name, value.to_owned()))]);
        let start = Instant::now();
        asked(&server, &account).await.ok();
        assert!(start.elapsed() >= Duration::from_secs(1), "{name}: {:?}", start.elapsed());
    }
    assert_eq!(upstream.asked().len(), 4);
}

async fn requests_over_the_concurrency_limit_are_refused(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).env("GAVEL_BACKEND_CONCURRENCY", 1).env("GAVEL_BACKEND_TIMEOUT_S", 8);
    let server = Arc::new(server.start().await);
    let account = server.account(10).await;
    upstream.breaks(Fault::Late(Duration::from_secs(5)));
    let mut tasks = JoinSet::new();
    for _ in 0..3 {
        let server = server.clone();
        let account = account.clone();
        tasks.spawn(async move { ask(&server, &account, json!({})).send().await });
    }
    let mut statuses: Vec<u16> = tasks.join_all().await.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 503, 503]);
    assert_eq!(upstream.asked().len(), 1);
    assert_eq!(inv::charges(&db, &account.id).await.len(), 1);
}

async fn a_pause_beyond_the_timeout_is_not_waited_for(db: Db) {
    let upstream = Upstream::start().await;
    let server = local(&db, &upstream).start().await;
    let account = server.account(10).await;
    for value in ["1e19", "1e300", "-1", "inf", "NaN"] {
        upstream.next([Some(Fault::StatusWith(503, "retry-after", value.to_owned()))]);
        let answer = asked(&server, &account).await;
        assert!(answer.status == 200 || answer.body["code"] == "UPSTREAM_FAILED", "{value}: {}", answer.text);
    }
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

on_sqlite!(
    a_pause_beyond_the_timeout_is_not_waited_for,
    transient_failures_are_retried,
    a_requested_pause_is_respected,
    requests_over_the_concurrency_limit_are_refused,
);
