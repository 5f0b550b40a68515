//! Takes ids from the lanes of the queue and runs their jobs. apalis' workers end when their queue fails, so each is
//! started again under a new name.

use std::{sync::Arc, time::Duration};

use apalis::prelude::{BoxDynError, Data, WorkerBuilder, WorkerBuilderExt as _};
use apalis_core::backend::ext::BackendExt as _;
use domain::{
    database::Database,
    id::{JobId, RunId},
    job::{self, FairShare, Handlers, Lane},
};
use tokio::sync::watch;

use crate::queue::Queue;

/// How often an idle lane is looked at.
const POLL: Duration = Duration::from_millis(200);
/// The pause before a worker whose queue failed starts again.
const RESTART: Duration = Duration::from_secs(1);

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

/// Runs the jobs of a lane, `concurrency` at once, until the process drains.
pub(crate) async fn consume(consumer: Consumer, queue: Queue, lane: Lane, concurrency: usize) {
    let mut draining = consumer.draining.clone();
    let share = FairShare::new(lane);
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
                    .data(Arc::new(consumer.clone()))
                    .data(share.clone())
                    .concurrency(concurrency)
                    .build(run_delivered)
                    .run_until(until)
                    .await
            };
        }
        let ended = match &queue {
            Queue::Redis { redis, name } => run!(Queue::redis_storage(redis, name, lane)),
            Queue::Sqlite { pool, name } => run!(Queue::sqlite_storage(pool, name, lane)),
        };
        if let Err(error) = ended
            && !*draining.borrow()
        {
            tracing::warn!(%error, lane = lane.as_str(), "the queue failed; its worker starts again");
            metrics::counter!("gavel_worker_restarts_total", "lane" => lane.as_str()).increment(1);
        }
        tokio::select! {
            () = tokio::time::sleep(RESTART) => {}
            _ = draining.wait_for(|draining| *draining) => {}
        }
    }
}

/// Runs a job for a delivered one. To apalis it always succeeds: the `job` table knows better.
async fn run_delivered(
    id: String,
    consumer: Data<Arc<Consumer>>,
    share: Data<FairShare>,
) -> Result<(), BoxDynError> {
    if *consumer.draining.borrow() {
        return Ok(());
    }
    let (id, share) = (JobId::from(id), FairShare::clone(&share));
    let Consumer { db, handlers, stopping, .. } = Consumer::clone(&consumer);
    // A task of its own: apalis polls all jobs of a lane from one.
    let run = tokio::spawn(async move {
        if let Err(error) = job::run(&db, &handlers, &share, &id, stopping).await {
            tracing::warn!(job = %id, cause = error.with_cause(), "a job could not be run; it is delivered again");
        }
    });
    run.await?;
    Ok(())
}
