//! The queue delivers jobs, and a job that it loses is delivered again.

use std::time::Duration;

use domain::background::job::{JobQueue, JobState, Jobs};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::json;
use worker::Queue;

use super::scripted::Bench;
use crate::harness::{Db, eventually, eventually_within, from_environment, on_both, on_postgres, on_sqlite};

/// A queue for one test in the shared Redis.
fn redis_queue() -> Queue {
    Queue::redis(&from_environment("GAVEL_TEST_REDIS_URL"), &ports::id::RunId::new().to_string()).unwrap()
}

async fn committed_jobs_are_found_without_a_queue(db: Db) {
    let bench = Bench::new(&db).await;
    let worker = bench.worker();
    // As after a process that died between commit and delivery, or that has no queue.
    let lost = bench.insert(json!({ "do": "succeed" })).await;
    bench.is(&lost, JobState::Succeeded).await;
    Jobs::new(bench.db.clone(), None).deliver(domain::background::job::Lane::Bulk, vec![lost]);
    // Delivered twice, and again by the outbox.
    let twice = bench.submit(json!({ "do": "succeed" })).await;
    bench.queue.push(domain::background::job::Lane::Bulk, &[twice.clone(), twice.clone()]).await.unwrap();
    bench.is(&twice, JobState::Succeeded).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(bench.diary.of(&twice), ["run", "Succeeded"]);
    worker.drain().await;
}

async fn jobs_that_redis_loses_are_delivered_again(db: Db) {
    let bench = Bench::with(&db, redis_queue()).await;
    let done = bench.submit(json!({ "do": "succeed" })).await;
    // Delivered to a queue that was emptied before anybody read it.
    let forgotten = bench.insert(json!({ "do": "succeed" })).await;
    db.execute(&format!("UPDATE job SET delivered_at = due_at + 1 WHERE id = '{forgotten}'")).await;
    let worker = bench.worker();
    bench.is(&done, JobState::Succeeded).await;
    bench.is(&forgotten, JobState::Succeeded).await;
    assert_eq!(bench.diary.of(&forgotten), ["run", "Succeeded"]);
    worker.drain().await;
}

async fn an_unresponsive_queue_only_delays_jobs(db: Db) {
    // Nothing listens on this port.
    let nowhere = Queue::redis("redis://127.0.0.1:9", "gavel").unwrap();
    let bench = Bench::with(&db, nowhere).await;
    let worker = bench.worker();
    let ids =
        [bench.submit(json!({ "do": "succeed" })).await, bench.submit(json!({ "do": "succeed" })).await];
    let dead = bench.insert(json!({ "do": "succeed" })).await;
    db.execute(&format!(
        "UPDATE job SET state = 'running', worker = 'x', lease_until = 0 WHERE id = '{dead}'"
    ))
    .await;
    for id in ids.iter().chain([&dead]) {
        bench.is(id, JobState::Succeeded).await;
        assert_eq!(bench.diary.of(id), ["run", "Succeeded"]);
    }
    worker.drain().await;
}

/// Jobs that run without the queue use the same slots as delivered ones, and `drain` waits for them.
async fn undelivered_jobs_share_the_slots_fairly(db: Db) {
    let bench = Bench::with(&db, Queue::redis("redis://127.0.0.1:9", "gavel").unwrap()).await;
    let mut ids = Vec::new();
    for _ in 0..6 {
        ids.push(bench.submit(json!({ "do": "wait" })).await);
    }
    let worker = bench.worker();

    eventually_within(Duration::from_secs(30), "all slots are taken", async || {
        (bench.begun(&ids) == 4).then_some(())
    })
    .await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(bench.begun(&ids), 4);
    worker.drain().await;
    for id in &ids {
        assert_eq!(bench.row(id).await.state, JobState::Queued, "handed over");
    }
}

async fn two_workers_run_each_of_many_jobs_once(db: Db) {
    let bench = Bench::with(&db, redis_queue()).await;
    let workers = [bench.worker(), bench.worker()];
    let mut ids = Vec::new();
    for _ in 0..60 {
        ids.push(bench.submit(json!({ "do": "succeed" })).await);
    }
    for id in &ids {
        bench.is(id, JobState::Succeeded).await;
        assert_eq!(bench.diary.of(id), ["run", "Succeeded"]);
    }
    for worker in workers {
        worker.drain().await;
    }
}

/// The queue delivers nothing, like a client that has missed its wake-up.
async fn a_stuck_lane_is_restarted(db: Db) {
    let bench = Bench::new(&db).await;
    let file = format!("sqlite://{}", db.data_dir().join("test-queue.sqlite").display());
    let queue = sea_orm::Database::connect(file).await.unwrap();
    let swallow = "CREATE TRIGGER swallow AFTER INSERT ON Jobs BEGIN \
                   UPDATE Jobs SET run_at = 9999999999 WHERE id = NEW.id; END";
    queue.execute_unprepared(swallow).await.unwrap();
    let worker = bench.worker();
    let id = bench.submit(json!({ "do": "succeed" })).await;

    bench.is(&id, JobState::Succeeded).await;
    assert_eq!(bench.diary.of(&id), ["run", "Succeeded"]);
    eventually_within(Duration::from_secs(90), "the lane's worker is started again", async || {
        bench.submit(json!({ "do": "succeed" })).await;
        let names = "SELECT COUNT(*) AS names FROM Workers WHERE id LIKE 'bulk-%'";
        let names = Statement::from_string(DbBackend::Sqlite, names);
        let names = queue.query_one_raw(names).await.unwrap().unwrap();
        (names.try_get::<i64>("", "names").unwrap() > 1).then_some(())
    })
    .await;
    queue.execute_unprepared("DROP TRIGGER swallow").await.unwrap();
    worker.drain().await;
}

async fn readiness_includes_the_queue(db: Db) {
    let server = crate::harness::Server::start(&db).await;
    let ready = server.get("/readyz").send().await;
    assert_eq!(ready.ok()["queue"], true);
    eventually("the queue is measured", async || {
        let metrics = server.get("/metrics").send().await.text;
        metrics.contains("gavel_jobs{").then_some(())
    })
    .await;
    let api = server.replica().await;
    assert!(api.get("/readyz").send().await.ok()["queue"].is_null());
}

on_sqlite!(a_stuck_lane_is_restarted, undelivered_jobs_share_the_slots_fairly);
on_both!(
    committed_jobs_are_found_without_a_queue,
    an_unresponsive_queue_only_delays_jobs,
    readiness_includes_the_queue,
);
on_postgres!(jobs_that_redis_loses_are_delivered_again, two_workers_run_each_of_many_jobs_once,);
