//! A worker: consumers of all lanes, and the periodic tasks, in one process.

use std::{future::Future, time::Duration};

use domain::{
    database::Database,
    job::{self, Handlers, Jobs, Lane},
};
use tokio::{sync::watch, task::JoinHandle};

use crate::{
    consume::{Consumer, consume},
    queue::Queue,
    schedules::{self, Schedule},
    settings::Settings,
};

/// How often lost and late jobs are looked for.
const OUTBOX_INTERVAL: Duration = Duration::from_secs(1);
/// How often the depth of the queue is measured.
const MEASURE_INTERVAL: Duration = Duration::from_secs(10);
/// How often the queue forgets what is done.
const VACUUM_INTERVAL: Duration = Duration::from_secs(60);
/// How long the handlers have to stop once they must.
const STOP_TIMEOUT: Duration = Duration::from_secs(6);

/// A running worker.
pub struct Worker {
    draining: watch::Sender<bool>,
    stopping: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
    drain: Duration,
}

impl Worker {
    /// Starts to run jobs and periodic tasks.
    pub fn start(
        db: Database,
        jobs: Jobs,
        queue: Queue,
        handlers: Handlers,
        mut schedules: Vec<Schedule>,
        settings: &Settings,
    ) -> Self {
        let (draining, drains) = watch::channel(false);
        let (stopping, stops) = watch::channel(false);
        let consumer = Consumer { db: db.clone(), handlers, draining: drains.clone(), stopping: stops };
        let mut tasks: Vec<JoinHandle<()>> = Vec::new();
        for lane in Lane::ALL {
            let run = consume(consumer.clone(), queue.clone(), lane, settings.concurrency(lane));
            tasks.push(tokio::spawn(run));
        }
        schedules.push(Schedule::new("job_prune", Duration::from_secs(3_600), |db| async move {
            job::prune(&db).await.map(drop)
        }));
        tasks.push(tokio::spawn(schedules::run(db.clone(), schedules, drains.clone())));
        let outbox = db.clone();
        tasks.push(tokio::spawn(every(OUTBOX_INTERVAL, drains.clone(), move || {
            let db = outbox.clone();
            let jobs = jobs.clone();
            async move { job::undelivered(&db, &jobs).await.map(drop).map_err(|error| error.with_cause()) }
        })));
        let measured = db;
        let drains_too = drains.clone();
        tasks.push(tokio::spawn(every(MEASURE_INTERVAL, drains_too, move || {
            let db = measured.clone();
            async move { measure(&db).await.map_err(|error| error.with_cause()) }
        })));
        tasks.push(tokio::spawn(every(VACUUM_INTERVAL, drains, move || {
            let queue = queue.clone();
            async move { queue.vacuum().await.map_err(|error| error.to_string()) }
        })));
        Self { draining, stopping, tasks, drain: settings.drain() }
    }

    /// Begins no new job, lets running ones end for a while, and hands the others over.
    pub async fn drain(self) {
        let Self { draining, stopping, tasks, drain } = self;
        draining.send_replace(true);
        let mut all = tokio::spawn(async move {
            for task in tasks {
                let _ = task.await;
            }
        });
        if tokio::time::timeout(drain, &mut all).await.is_ok() {
            return;
        }
        stopping.send_replace(true);
        if tokio::time::timeout(STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!(
                "some jobs did not stop; another worker takes them over when their leases are over"
            );
        }
    }
}

/// Sets the gauges of open jobs and of the time that the oldest has been due.
async fn measure(db: &Database) -> domain::Result<()> {
    let states = job::queue_states(db).await?;
    for kind in job::Kind::ALL.map(job::Kind::as_str) {
        for state in [job::State::Queued, job::State::Running].map(job::State::as_str) {
            let open = states.iter().find(|open| open.kind == kind && open.state == state);
            let labels = [("kind", kind), ("state", state)];
            metrics::gauge!("gavel_jobs", &labels).set(open.map_or(0, |open| open.jobs) as f64);
            let oldest = open.map_or(0, |open| open.oldest_ms.max(0));
            metrics::gauge!("gavel_jobs_oldest_seconds", &labels).set(oldest as f64 / 1e3);
        }
    }
    Ok(())
}

/// Repeats `work` until the process drains. What fails is logged once until it works again.
async fn every<F>(period: Duration, mut draining: watch::Receiver<bool>, work: impl Fn() -> F)
where
    F: Future<Output = Result<(), String>>,
{
    let mut failing = false;
    loop {
        match work().await {
            Ok(()) => failing = false,
            Err(cause) if !failing => {
                tracing::warn!(cause, "the queue is not kept up");
                failing = true;
            }
            Err(_) => {}
        }
        tokio::select! {
            () = tokio::time::sleep(period) => {}
            _ = draining.wait_for(|draining| *draining) => return,
        }
    }
}
