//! Takes ids from the lanes of the queue and runs their jobs, and runs overdue jobs that the queue does not deliver.
//! apalis' workers end if their queue fails, and may silently stop taking ids, so each is watched and restarted under a
//! new name.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use apalis::prelude::{BoxDynError, Data, WorkerBuilder, WorkerBuilderExt as _};
use apalis_core::backend::ext::BackendExt as _;
use domain::background::job::{FairShare, JobRunner, Jobs, Lane};
use futures_util::FutureExt;
use parking_lot::Mutex;
use ports::id::{JobId, RunId};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use crate::queue::Queue;

/// How often an idle lane is polled.
const POLL: Duration = Duration::from_millis(200);
/// The pause before a worker is restarted after its queue failed.
const RESTART: Duration = Duration::from_secs(1);
/// How long a job may be due, in a lane with free places, before it is run without a delivery.
const OVERDUE: Duration = Duration::from_secs(5);
/// How often overdue jobs are looked for.
const OVERDUE_CHECK: Duration = Duration::from_secs(2);
/// How long the queue may deliver nothing while jobs are overdue before its worker is restarted.
const STALL: Duration = Duration::from_secs(20);

/// What a consumer needs to run a job.
#[derive(Clone)]
pub(crate) struct Consumer {
    pub(crate) runner: JobRunner,
    pub(crate) jobs: Jobs,
    /// True once no new job may start.
    pub(crate) draining: watch::Receiver<bool>,
}

/// The state of a lane in this process.
struct LaneState {
    lane: Lane,
    /// One permit for each job that may run at once.
    places: Arc<Semaphore>,
    share: FairShare,
    /// When an id was last taken from the queue.
    taken: Mutex<Instant>,
    /// Notified if the queue delivers nothing although jobs are overdue.
    stalled: Notify,
}

/// What apalis passes to each call of [`run_delivered`].
#[derive(Clone)]
struct LaneConsumer {
    consumer: Consumer,
    state: Arc<LaneState>,
}

impl LaneState {
    /// Runs the job `id`, or another one of the lane that is due first, in its own task.
    fn start(
        self: &Arc<Self>,
        consumer: &Consumer,
        id: JobId,
        place: OwnedSemaphorePermit,
    ) -> tokio::task::JoinHandle<()> {
        let runner = consumer.runner.clone();
        let state = self.clone();
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = runner.run(&state.share, &id).await {
                let cause = error.with_cause();
                tracing::warn!(job = %id, cause, "could not run a job; it will be delivered again");
            }
        })
    }

    /// Runs jobs that are overdue although the lane has free places: the queue is down, or has lost them.
    async fn run_overdue(self: Arc<Self>, consumer: Consumer) {
        let mut silent_since: Option<Instant> = None;
        let mut started = false;
        loop {
            tokio::time::sleep(if started { POLL } else { OVERDUE_CHECK }).await;
            started = false;
            let free = self.places.available_permits();
            if free == 0 {
                continue;
            }
            let overdue = match consumer.jobs.overdue(self.lane, OVERDUE, free).await {
                Ok(overdue) => overdue,
                Err(error) => {
                    tracing::warn!(lane = self.lane.as_str(), %error, "could not look for overdue jobs");
                    continue;
                }
            };
            for id in overdue {
                let Ok(place) = self.places.clone().try_acquire_owned() else { break };
                self.start(&consumer, id, place);
                started = true;
            }
            if silent_since.is_some_and(|since| *self.taken.lock() > since) {
                silent_since = None;
            }
            if started && silent_since.get_or_insert_with(Instant::now).elapsed() >= STALL {
                silent_since = None;
                self.stalled.notify_one();
            }
        }
    }
}

/// Runs the jobs of a lane, at most `concurrency` at once, until the process drains.
pub(crate) async fn consume(consumer: Consumer, queue: Queue, lane: Lane, concurrency: usize) {
    let mut draining = consumer.draining.clone();
    let state = Arc::new(LaneState {
        lane,
        places: Arc::new(Semaphore::new(concurrency)),
        share: FairShare::new(lane),
        taken: Mutex::new(Instant::now()),
        stalled: Notify::new(),
    });
    let overdue = tokio::spawn(state.clone().run_overdue(consumer.clone()));
    while !*draining.borrow() {
        // apalis refuses a name that is still registered, so each start has a new one.
        let name = format!("{}-{}", lane.as_str(), RunId::new());
        let until = {
            let mut draining = draining.clone();
            async move {
                let _ = draining.wait_for(|draining| *draining).await;
                Ok::<(), std::io::Error>(())
            }
        };
        // The two storages share no trait that the builder could be generic over.
        macro_rules! run {
            ($storage:expr) => {
                WorkerBuilder::new(name.as_str())
                    .backend($storage.poll_with_interval(POLL))
                    .data(LaneConsumer { consumer: consumer.clone(), state: state.clone() })
                    .concurrency(concurrency)
                    .build(run_delivered)
                    .run_until(until)
                    .await
            };
        }
        let run = async {
            match &queue {
                Queue::Redis { redis, name } => run!(Queue::redis_storage(redis, name, lane)),
                Queue::Sqlite { pool, name } => run!(Queue::sqlite_storage(pool, name, lane)),
            }
        };
        let ended = tokio::select! {
            ended = AssertUnwindSafe(run).catch_unwind() => match ended {
                Ok(ended) => ended.err().map(|error| error.to_string()),
                Err(_) => Some("the queue's client panicked".to_owned()),
            },
            // Running jobs continue: each has its own task.
            () = state.stalled.notified() => Some("nothing was delivered while jobs were overdue".to_owned()),
        };
        if let Some(error) = ended
            && !*draining.borrow()
        {
            tracing::warn!(error, lane = lane.as_str(), "job queue failed; restarting its worker");
            metrics::counter!("gavel_worker_restarts_total", "lane" => lane.as_str()).increment(1);
        }
        tokio::select! {
            () = tokio::time::sleep(RESTART) => {}
            _ = draining.wait_for(|draining| *draining) => {}
        }
    }
    overdue.abort();
    state.share.close();
    // Wait for the running jobs.
    let _ = state.places.acquire_many(u32::try_from(concurrency).unwrap_or(u32::MAX)).await;
}

/// Runs a job for each delivery. apalis sees it succeed in any case: the result is in the `job` table.
async fn run_delivered(id: String, lane: Data<LaneConsumer>) -> Result<(), BoxDynError> {
    let LaneConsumer { consumer, state } = LaneConsumer::clone(&lane);
    *state.taken.lock() = Instant::now();
    let place = state.places.clone().acquire_owned().await?;
    if *consumer.draining.borrow() {
        return Ok(());
    }
    // In its own task, because apalis polls all jobs of a lane from one.
    state.start(&consumer, JobId::from(id), place).await?;
    Ok(())
}
