//! `gavel api` and two `gavel worker` on PostgreSQL and a Redis that is emptied, frozen and killed: a batch
//! completes and is charged once.

use std::time::Duration;

use serde_json::json;

use super::{asking::*, interrupted::settled};
use crate::harness::{Account, Db, Fault, RedisServer, Server, Upstream, WorkerProcess, on_postgres};

const ITEMS: usize = 400;

/// `gavel api`.
async fn api(db: &Db, redis: &RedisServer, upstream: &Upstream) -> Server {
    Server::with_model(db, upstream).args(&["api"]).env("GAVEL_REDIS_URL", redis.url()).start().await
}

/// A worker that runs one chunk at a time, which takes a second or two.
async fn worker(db: &Db, redis: &RedisServer, upstream: &Upstream) -> WorkerProcess {
    let env = [
        ("GAVEL_REDIS_URL", redis.url()),
        ("GAVEL_LOCAL_URL", upstream.url().to_owned()),
        ("GAVEL_WORKER_BULK_JOBS", "1".to_owned()),
        ("GAVEL_WORKER_DRAIN_S", "1".to_owned()),
    ];
    let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (*name, value.as_str())).collect();
    WorkerProcess::start(db, &env).await
}

/// Waits until the batch has completed more items, or all.
async fn progress(server: &Server, account: &Account, id: &str) {
    let before = completed(&batch(server, &account.key, id).await);
    when(server, &account.key, id, |batch| completed(batch) > before || batch["status"] == "completed").await;
}

async fn a_batch_survives_its_queue_and_its_workers(db: Db) {
    let upstream = Upstream::start().await;
    upstream.breaks(Fault::Late(Duration::from_millis(150)));
    let mut redis = RedisServer::start();
    let server = api(&db, &redis, &upstream).await;
    let account = server.account(1_000).await;
    let mut workers = [worker(&db, &redis, &upstream).await, worker(&db, &redis, &upstream).await];
    let id = submitted(&server, &account.key, &questions(ITEMS)).await;

    progress(&server, &account, &id).await;
    redis.flush_all();
    progress(&server, &account, &id).await;
    workers[0].kill9();
    progress(&server, &account, &id).await;
    redis.freeze(Duration::from_secs(5)).await;
    progress(&server, &account, &id).await;
    redis.kill9_and_start(Duration::from_secs(2)).await;
    progress(&server, &account, &id).await;
    workers[0] = worker(&db, &redis, &upstream).await;
    let done = ended(&server, &account.key, &id).await;
    assert_eq!(
        (&done["status"], &done["counts"]),
        (&json!("completed"), &json!({ "completed": ITEMS, "failed": 0 }))
    );
    settled(&db, &server, &account, &done, 1_000_000).await;
    let jobs = db.cli(&["jobs", "list", "--subject", &id]).await;
    let open = jobs["jobs"].as_array().unwrap().iter().filter(|job| job["state"] != "succeeded").count();
    assert_eq!(open, 0, "{jobs}");
}

async fn a_stopped_worker_hands_over_its_chunk(db: Db) {
    let upstream = Upstream::start().await;
    upstream.breaks(Fault::Late(Duration::from_secs(1)));
    let redis = RedisServer::start();
    let server = api(&db, &redis, &upstream).await;
    let account = server.account(1_000).await;
    let id = submitted(&server, &account.key, &questions(100)).await;
    let mut first = worker(&db, &redis, &upstream).await;
    when(&server, &account.key, &id, |batch| batch["status"] == "running").await;
    let (status, took) = first.terminate().await;
    assert!(status.success() && took < Duration::from_secs(30), "{status} after {took:?}: {}", first.log());
    upstream.breaks(Fault::Late(Duration::from_millis(1)));
    let _second = worker(&db, &redis, &upstream).await;
    let done = ended(&server, &account.key, &id).await;
    assert_eq!(done["counts"], json!({ "completed": 100, "failed": 0 }), "{done}");
    settled(&db, &server, &account, &done, 1_000_000).await;
}

on_postgres!(a_batch_survives_its_queue_and_its_workers, a_stopped_worker_hands_over_its_chunk);
