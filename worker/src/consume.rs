//! Takes ids from the lanes of the queue and runs their jobs, and runs those that the queue does not deliver. apalis' workers
//! end when their queue fails, and may stop to take ids without a word, so each is watched and started again under a new name.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use apalis::prelude::{BoxDynError, Data, WorkerBuilder, WorkerBuilderExt as _};
use apalis_core::backend::ext::BackendExt as _;
use domain::{
    database::Database,
    id::{JobId, RunId},
    job::{self, FairShare, Handlers, Lane},
};
use futures_util::FutureExt;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use crate::queue::Queue;

/// How often an idle lane is looked at.
const POLL: Duration = Duration::from_millis(200);
/// The pause before a worker whose queue failed starts again.
const RESTART: Duration = Duration::from_secs(1);
/// How long a job may have been due, in a lane with free places, before it is run without having been delivered.
const OVERDUE: Duration = Duration::from_secs(5);
/// How often such jobs are looked for.
const OVERDUE_CHECK: Duration = Duration::from_secs(2);
/// For how long the queue may deliver nothing while jobs are overdue before its worker starts again.
const STALL: Duration = Duration::from_secs(20);

/// What a consumer needs to run a job.
#[derive(Clone)]
pub(crate) struct Consumer {
    pub(crate) db: Database,
    pub(crate) handlers: Handlers,
    /// True once no new job may begin.
    pub(crate) draining: watch::Receiver<bool>,
    /// True once running jobs must stop.
    pub(crate) stopping: watch::Receiver<bool>,
}

/// What a lane of this process does.
struct LaneState {
    lane: Lane,
    /// One permit for each job that may run.
    places: Arc<Semaphore>,
    share: FairShare,
    /// When an id was last taken from the queue.
    taken: Mutex<Instant>,
    /// Told when the queue delivers nothing although jobs are overdue.
    stalled: Notify,
}

impl LaneState {
    fn taken(&self) -> Instant {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a job of the lane for `id`, in a task of its own.
    fn start(
        self: &Arc<Self>,
        consumer: &Consumer,
        id: JobId,
        place: OwnedSemaphorePermit,
    ) -> tokio::task::JoinHandle<()> {
        let Consumer { db, handlers, stopping, .. } = consumer.clone();
        let state = self.clone();
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = job::run(&db, &handlers, &state.share, &id, stopping).await {
                tracing::warn!(job = %id, cause = error.with_cause(), "a job could not be run; it is delivered again");
            }
        })
    }

    /// Runs jobs that are overdue although the lane has places for them: the queue is away, or has lost them.
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
            let Ok(overdue) = job::overdue(&consumer.db, self.lane, OVERDUE, free).await else { continue };
            for id in overdue {
                let Ok(place) = self.places.clone().try_acquire_owned() else { break };
                self.start(&consumer, id, place);
                started = true;
            }
            if silent_since.is_some_and(|since| self.taken() > since) {
                silent_since = None;
            }
            if started && silent_since.get_or_insert_with(Instant::now).elapsed() >= STALL {
                silent_since = None;
                self.stalled.notify_one();
            }
        }
    }
}

/// Runs the jobs of a lane, `concurrency` at once, until the process drains.
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
        // A name that is still registered is refused, so each start has a new one.
        let name = format!("{}-{}", lane.as_str(), RunId::new());
        let until = {
            let mut draining = draining.clone();
            async move {
                let _ = draining.wait_for(|draining| *draining).await;
                Ok::<(), std::io::Error>(())
            }
        };
        // The two storages have nothing in common that the builder could be generic over.
        macro_rules! run {
            ($storage:expr) => {
                WorkerBuilder::new(name.as_str())
                    .backend($storage.poll_with_interval(POLL))
                    .data((consumer.clone(), state.clone()))
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
                Err(_) => Some("the queue's client panicked; the log says where".to_owned()),
            },
            // What it runs goes on: jobs have tasks of their own.
            () = state.stalled.notified() => Some("it delivered nothing while jobs were overdue".to_owned()),
        };
        if let Some(error) = ended
            && !*draining.borrow()
        {
            tracing::warn!(error, lane = lane.as_str(), "the queue failed; its worker starts again");
            metrics::counter!("gavel_worker_restarts_total", "lane" => lane.as_str()).increment(1);
        }
        tokio::select! {
            () = tokio::time::sleep(RESTART) => {}
            _ = draining.wait_for(|draining| *draining) => {}
        }
    }
    overdue.abort();
    // The jobs that run come to their ends.
    let _ = state.places.acquire_many(u32::try_from(concurrency).unwrap_or(u32::MAX)).await;
}

/// Runs a job for a delivered one. To apalis it always succeeds: the `job` table knows better.
async fn run_delivered(id: String, lane: Data<(Consumer, Arc<LaneState>)>) -> Result<(), BoxDynError> {
    let (consumer, state) = <(Consumer, Arc<LaneState>)>::clone(&lane);
    *state.taken.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    let place = state.places.clone().acquire_owned().await?;
    if *consumer.draining.borrow() {
        return Ok(());
    }
    // A task of its own: apalis polls all jobs of a lane from one.
    state.start(&consumer, JobId::from(id), place).await?;
    Ok(())
}
