//! A job ends once, however often and by however many workers it is run.

use std::time::Duration;

use domain::background::job::{Ending, FairShare, JobFilter, JobState, Lane, end_queued};
use serde_json::json;
use tokio::sync::watch;

use super::scripted::Bench;
use crate::harness::{Db, on_both};

async fn every_end_is_written_once(db: Db) {
    let bench = Bench::new(&db).await;
    let worker = bench.worker();
    let done = bench.submit(json!({ "do": "succeed" })).await;
    let refused = bench.submit(json!({ "do": "refuse" })).await;
    let unlucky = bench.submit(json!({ "do": "fail", "times": 1 })).await;
    let panics = bench.submit(json!({ "do": "panic", "times": 1 })).await;
    bench.is(&done, JobState::Succeeded).await;
    assert_eq!(bench.diary.of(&done), ["run", "Succeeded"]);
    assert_eq!(bench.is(&refused, JobState::Failed).await.error.as_deref(), Some("never"));
    assert_eq!(bench.diary.of(&refused), ["run", "Failed(\"never\")"]);
    for retried in [unlucky, panics] {
        assert_eq!(bench.is(&retried, JobState::Succeeded).await.attempts, 2);
        assert_eq!(bench.diary.of(&retried), ["run", "run", "Succeeded"]);
    }
    worker.drain().await;
}

async fn a_job_that_always_fails_ends_after_its_attempts(db: Db) {
    let bench = Bench::new(&db).await;
    let id = bench.insert(json!({ "do": "fail" })).await;
    let max = bench.row(&id).await.max_attempts;
    let (_stop, stopping) = watch::channel(false);
    for _ in 0..max {
        // Skips the backoff.
        db.execute("UPDATE job SET due_at = 0").await;
        bench.runner(&stopping).run(&FairShare::new(Lane::Bulk), &id).await.unwrap();
    }
    let row = bench.row(&id).await;
    assert_eq!((row.state, row.attempts), (JobState::Failed, max));
    assert_eq!(bench.diary.of(&id).iter().filter(|line| *line == "run").count() as i32, max);
    assert_eq!(bench.diary.of(&id).iter().filter(|line| line.starts_with("Failed")).count(), 1);
    // A worker that dies during a job writes no end, and its attempt counts.
    let deadly = bench.insert(json!({ "do": "succeed" })).await;
    let dead =
        format!("UPDATE job SET state = 'running', attempts = {max}, lease_until = 0 WHERE id = '{deadly}'");
    db.execute(&dead).await;
    bench.runner(&stopping).run(&FairShare::new(Lane::Bulk), &deadly).await.unwrap();
    assert_eq!(bench.row(&deadly).await.state, JobState::Failed);
    assert_eq!(bench.diary.of(&deadly), ["Failed(\"its workers died\")"]);
}

async fn one_of_two_workers_runs_a_job(db: Db) {
    let bench = Bench::new(&db).await;
    let (_stop, stopping) = watch::channel(false);
    for _ in 0..20 {
        let id = bench.insert(json!({ "do": "succeed" })).await;
        let runner = bench.runner(&stopping);
        let share = FairShare::new(Lane::Bulk);
        let runs = (0..4).map(|_| runner.run(&share, &id));
        for ran in futures_util::future::join_all(runs).await {
            ran.unwrap();
        }
        assert_eq!(bench.diary.of(&id), ["run", "Succeeded"]);
    }
}

async fn a_worker_that_lost_its_job_stops_and_writes_nothing(db: Db) {
    let bench = Bench::new(&db).await;
    let id = bench.insert(json!({ "do": "wait" })).await;
    let (_stop, stopping) = watch::channel(false);
    let theirs = bench.runner(&stopping);
    let job = id.clone();
    let slow = tokio::spawn(async move { theirs.run(&FairShare::new(Lane::Bulk), &job).await });
    bench.is(&id, JobState::Running).await;
    // As after a pause longer than the lease: another run takes the job and ends it.
    db.execute("UPDATE job SET lease_until = 0, payload = '{\"do\": \"succeed\"}'").await;
    bench.runner(&stopping).run(&FairShare::new(Lane::Bulk), &id).await.unwrap();
    slow.await.unwrap().unwrap();
    let row = bench.row(&id).await;
    assert_eq!((row.state, row.attempts), (JobState::Succeeded, 2));
    let diary = bench.diary.of(&id);
    assert_eq!(diary.iter().filter(|line| *line == "Succeeded").count(), 1, "{diary:?}");
    assert!(!diary.iter().any(|line| line == "Cancelled"), "{diary:?}");
}

async fn queued_and_running_jobs_can_be_cancelled(db: Db) {
    let bench = Bench::new(&db).await;
    let queued = bench.insert(json!({ "do": "succeed" })).await;
    let tx = bench.db.begin().await.unwrap();
    assert!(end_queued(&tx, &queued, &Ending::Cancelled).await.unwrap().is_some());
    assert!(end_queued(&tx, &queued, &Ending::Cancelled).await.unwrap().is_none());
    tx.commit().await.unwrap();
    let worker = bench.worker();
    let running = bench.submit(json!({ "do": "wait" })).await;
    bench.is(&running, JobState::Running).await;
    let tx = bench.db.begin().await.unwrap();
    assert!(end_queued(&tx, &running, &Ending::Cancelled).await.unwrap().is_none());
    drop(tx);
    bench.jobs.cancel("a test", &running).await.unwrap();
    bench.is(&running, JobState::Cancelled).await;
    assert_eq!(bench.diary.of(&running), ["run", "Cancelled", "Cancelled"]);
    let asked = bench.insert(json!({ "do": "succeed" })).await;
    bench.jobs.cancel("a test", &asked).await.unwrap();
    bench.is(&asked, JobState::Cancelled).await;
    assert_eq!(bench.diary.of(&asked), ["Cancelled"]);
    assert!(bench.diary.of(&queued).is_empty());
    // An end is final.
    assert!(bench.jobs.cancel("a test", &asked).await.is_err());
    assert!(bench.jobs.retry("a test", &asked).await.is_err());
    worker.drain().await;
}

async fn a_stopping_worker_hands_over_its_job(db: Db) {
    let bench = Bench::new(&db).await;
    let worker = bench.worker();
    let id = bench.submit(json!({ "do": "wait" })).await;
    bench.is(&id, JobState::Running).await;
    let start = std::time::Instant::now();
    worker.drain().await;
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let row = bench.row(&id).await;
    // The interrupted run does not count.
    assert_eq!((row.state, row.attempts), (JobState::Queued, 0));
    assert_eq!(bench.diary.of(&id), ["run", "Stopping"]);
    db.execute("UPDATE job SET payload = '{\"do\": \"succeed\"}'").await;
    let next = bench.worker();
    bench.is(&id, JobState::Succeeded).await;
    next.drain().await;
}

async fn operators_list_retry_and_cancel(db: Db) {
    let bench = Bench::new(&db).await;
    let waits = bench.insert(json!({ "do": "fail" })).await;
    let other = bench.insert(json!({ "do": "succeed" })).await;
    let (_stop, stopping) = watch::channel(false);
    bench.runner(&stopping).run(&FairShare::new(Lane::Bulk), &waits).await.unwrap();
    let listed = db.cli(&["jobs", "list", "--state", "queued"]).await;
    assert_eq!(listed["total"], 2);
    assert_eq!(listed["jobs"][0]["job_id"], other.to_string());
    assert!(listed["jobs"][1]["error"].as_str().unwrap().contains("no luck"), "{listed}");
    assert_eq!(db.cli(&["jobs", "list", "--kind", "evaluate"]).await["total"], 0);
    let retried = db.cli(&["jobs", "retry", waits.as_str()]).await;
    assert_eq!((&retried["state"], &retried["attempts"]), (&json!("queued"), &json!(0)));
    assert_eq!(db.cli(&["jobs", "cancel", other.as_str()]).await["cancel_requested"], true);
    let filter = JobFilter { state: Some(JobState::Queued), ..JobFilter::default() };
    assert_eq!(bench.jobs.count(filter).await.unwrap(), 2);
    let unknown = db.run(&["--json", "jobs", "retry", "job_01nothing"], &[], "").await;
    assert!(unknown.stderr.contains("NOT_FOUND"), "{unknown:?}");
    let wrong = db.run(&["jobs", "list", "--state", "lost"], &[], "").await;
    assert!(wrong.stderr.contains("queued, running"), "{wrong:?}");
}

on_both!(
    every_end_is_written_once,
    a_job_that_always_fails_ends_after_its_attempts,
    one_of_two_workers_runs_a_job,
    a_worker_that_lost_its_job_stops_and_writes_nothing,
    queued_and_running_jobs_can_be_cancelled,
    a_stopping_worker_hands_over_its_job,
    operators_list_retry_and_cancel,
);
