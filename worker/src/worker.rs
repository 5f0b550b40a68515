//! A worker: the consumers of all lanes, and the periodic tasks, of one process.

use std::{future::Future, panic::AssertUnwindSafe, time::Duration};

use domain::{
    background::job::{
        Handlers, JobKind, JobRunner, JobState, Jobs, Lane, QueueError, REPORT_INTERVAL, RunningJobs,
        WorkerIdentity, Workers,
    },
    foundation::database::Database,
};
use futures_util::FutureExt;
use tokio::{sync::watch, task::JoinHandle};

use crate::{
    consume::{Consumer, consume},
    queue::Queue,
    schedules::{self, Schedule},
    settings::WorkerSettings,
};

/// How often lost and late jobs are looked for.
const OUTBOX_INTERVAL: Duration = Duration::from_secs(1);
/// How often the depth of the queue is measured.
const MEASURE_INTERVAL: Duration = Duration::from_secs(10);
/// How often finished deliveries are deleted.
const VACUUM_INTERVAL: Duration = Duration::from_secs(60);
/// How long handlers may take to stop once they must.
const STOP_TIMEOUT: Duration = Duration::from_secs(6);

/// A running worker.
pub struct Worker {
    draining: watch::Sender<bool>,
    stopping: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
    drain: Duration,
}

/// What a worker works with.
pub struct WorkerParts {
    pub db: Database,
    pub jobs: Jobs,
    pub queue: Queue,
    pub handlers: Handlers,
    pub schedules: Vec<Schedule>,
}

/// Why job queue maintenance failed.
#[derive(Debug, thiserror::Error)]
enum MaintenanceError {
    #[error("{}", .0.with_cause())]
    Database(#[from] domain::Error),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("a panic; the log has the message")]
    Panicked,
}

impl Worker {
    /// Starts running jobs and periodic tasks.
    pub fn start(parts: WorkerParts, settings: &WorkerSettings) -> Self {
        let WorkerParts { db, jobs, queue, handlers, mut schedules } = parts;
        let (draining, drains) = watch::channel(false);
        let (stopping, stops) = watch::channel(false);
        let running = RunningJobs::default();
        let runner = JobRunner { db: db.clone(), handlers, running: running.clone(), stopping: stops };
        let consumer = Consumer { runner, jobs: jobs.clone(), draining: drains.clone() };
        let mut tasks: Vec<JoinHandle<()>> = Vec::new();
        for lane in Lane::ALL.iter().copied() {
            let run = consume(consumer.clone(), queue.clone(), lane, settings.concurrency(lane));
            tasks.push(tokio::spawn(run));
        }
        schedules.push(Schedule::new(
            "job_prune",
            Duration::from_secs(3_600),
            jobs.clone(),
            |jobs| async move { jobs.prune().await.map(drop) },
        ));
        tasks.push(tokio::spawn(report(Workers::new(db.clone()), running, drains.clone())));
        tasks.push(tokio::spawn(schedules::run(db, schedules, drains.clone())));
        let outbox = jobs.clone();
        tasks.push(tokio::spawn(every(OUTBOX_INTERVAL, drains.clone(), move || {
            let jobs = outbox.clone();
            async move { Ok(jobs.deliver_lost().await.map(drop)?) }
        })));
        tasks.push(tokio::spawn(every(MEASURE_INTERVAL, drains.clone(), move || {
            let jobs = jobs.clone();
            async move { Ok(measure(&jobs).await?) }
        })));
        tasks.push(tokio::spawn(every(VACUUM_INTERVAL, drains, move || {
            let queue = queue.clone();
            async move { Ok(queue.vacuum().await?) }
        })));
        Self { draining, stopping, tasks, drain: settings.drain() }
    }

    /// Starts no new jobs, gives running ones time to finish, and hands over the rest.
    pub async fn drain(self) {
        let Self { draining, stopping, tasks, drain } = self;
        draining.send_replace(true);
        let mut all = tokio::spawn(async move {
            for task in tasks {
                if let Err(error) = task.await {
                    tracing::error!(%error, "a task of the worker panicked");
                }
            }
        });
        if tokio::time::timeout(drain, &mut all).await.is_ok() {
            return;
        }
        stopping.send_replace(true);
        if tokio::time::timeout(STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!("some jobs did not stop; another worker takes them over when their leases expire");
        }
    }
}

/// Reports what this process runs until it drains; then it is forgotten.
async fn report(workers: Workers, running: RunningJobs, draining: watch::Receiver<bool>) {
    let identity = WorkerIdentity::of_this_process(env!("CARGO_PKG_VERSION"));
    let reported = &identity;
    every(REPORT_INTERVAL, draining, || async { Ok(workers.report(reported, &running).await?) }).await;
    if let Err(error) = workers.leave(&identity).await {
        tracing::debug!(%error, "could not deregister this worker; it is listed as lost for a day");
    }
}

/// Sets the gauges of open jobs and of how long the oldest has been due.
async fn measure(jobs: &Jobs) -> domain::Result<()> {
    let states = jobs.queue_states().await?;
    for kind in JobKind::ALL.iter().map(|kind| kind.as_str()) {
        for state in [JobState::Queued, JobState::Running].map(JobState::as_str) {
            let open = states.iter().find(|open| open.kind == kind && open.state == state);
            let labels = [("kind", kind), ("state", state)];
            metrics::gauge!("gavel_jobs", &labels).set(open.map_or(0, |open| open.jobs) as f64);
            let oldest = open.map_or(0, |open| open.oldest_ms.max(0));
            metrics::gauge!("gavel_jobs_oldest_seconds", &labels).set(oldest as f64 / 1e3);
        }
    }
    Ok(())
}

/// Repeats `work` until the process drains. Consecutive failures are logged once.
async fn every<F>(period: Duration, mut draining: watch::Receiver<bool>, work: impl Fn() -> F)
where
    F: Future<Output = Result<(), MaintenanceError>>,
{
    let mut failing = false;
    loop {
        let done = AssertUnwindSafe(work()).catch_unwind().await.unwrap_or(Err(MaintenanceError::Panicked));
        match done {
            Ok(()) => failing = false,
            Err(error) if !failing => {
                tracing::warn!(%error, "job queue maintenance failed");
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
