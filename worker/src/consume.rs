//! Takes ids from the lanes of the queue and runs their jobs. apalis' workers end when their queue fails, and may stop
//! to take ids without a word, so each is watched and started again under a new name.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
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
use tokio::sync::watch;

use crate::queue::Queue;

/// How often an idle lane is looked at.
const POLL: Duration = Duration::from_millis(200);
/// The pause before a worker whose queue failed starts again.
const RESTART: Duration = Duration::from_secs(1);
/// How long a lane with free places may take no id while delivered jobs wait. Longer than the outbox needs to deliver
/// a lost id again.
const STALL: Duration = Duration::from_secs(25);
/// How often a lane is looked at for a stall.
const STALL_CHECK: Duration = Duration::from_secs(5);

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
    concurrency: usize,
    running: AtomicUsize,
    /// When an id was last taken from the queue.
    taken: Mutex<Instant>,
    share: FairShare,
}

impl LaneState {
    fn begin(self: &Arc<Self>) -> Running {
        self.running.fetch_add(1, Ordering::SeqCst);
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Running(self.clone())
    }

    /// Ends once delivered jobs have waited in vain although the lane had places for them.
    async fn stalled(&self, db: &Database) {
        let mut free_since = Instant::now();
        loop {
            tokio::time::sleep(STALL_CHECK).await;
            let taken = *self.taken.lock().unwrap_or_else(PoisonError::into_inner);
            if self.running.load(Ordering::SeqCst) >= self.concurrency {
                free_since = Instant::now();
            } else if free_since.max(taken).elapsed() >= STALL
                && job::waiting_since(db, self.lane, STALL).await.unwrap_or(false)
            {
                return;
            }
        }
    }
}

/// A job that runs; it is over when this is dropped.
struct Running(Arc<LaneState>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs the jobs of a lane, `concurrency` at once, until the process drains.
pub(crate) async fn consume(consumer: Consumer, queue: Queue, lane: Lane, concurrency: usize) {
    let mut draining = consumer.draining.clone();
    let state = Arc::new(LaneState {
        lane,
        concurrency,
        running: AtomicUsize::new(0),
        taken: Mutex::new(Instant::now()),
        share: FairShare::new(lane),
    });
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
            () = state.stalled(&consumer.db) => Some("delivered jobs were not taken".to_owned()),
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
}

/// Runs a job for a delivered one. To apalis it always succeeds: the `job` table knows better.
async fn run_delivered(id: String, lane: Data<(Consumer, Arc<LaneState>)>) -> Result<(), BoxDynError> {
    let (Consumer { db, handlers, draining, stopping }, state) = <(Consumer, Arc<LaneState>)>::clone(&lane);
    if *draining.borrow() {
        return Ok(());
    }
    let (id, running) = (JobId::from(id), state.begin());
    // A task of its own: apalis polls all jobs of a lane from one.
    let run = tokio::spawn(async move {
        let _running = running;
        if let Err(error) = job::run(&db, &handlers, &state.share, &id, stopping).await {
            tracing::warn!(job = %id, cause = error.with_cause(), "a job could not be run; it is delivered again");
        }
    });
    run.await?;
    Ok(())
}
