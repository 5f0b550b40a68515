//! The port of a queue that delivers the ids of jobs to workers.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Lane, outbox};
use crate::foundation::database::Database;
use ports::id::JobId;

/// Why a queue did not take or deliver ids.
#[derive(Debug)]
pub struct QueueError(pub String);

impl std::fmt::Display for QueueError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for QueueError {}

/// A queue. It may lose ids and deliver them more than once.
#[async_trait]
pub trait JobQueue: Send + Sync + 'static {
    /// Adds ids to a lane.
    ///
    /// # Errors
    /// When the queue does not answer in time.
    async fn push(&self, lane: Lane, ids: &[JobId]) -> Result<(), QueueError>;

    /// Checks that the queue answers.
    ///
    /// # Errors
    /// When it does not.
    async fn ping(&self) -> Result<(), QueueError>;

    /// The name of the queue's server, for operators.
    fn name(&self) -> &'static str;
}

/// The jobs of a process: the table, and the queue to workers.
#[derive(Clone)]
pub struct Jobs {
    db: Database,
    queue: Option<Arc<dyn JobQueue>>,
}

impl Jobs {
    /// Without a queue, workers find jobs in the table by themselves, within some seconds.
    pub fn new(db: Database, queue: Option<Arc<dyn JobQueue>>) -> Self {
        Self { db, queue }
    }

    /// The queue, if this process has one.
    pub fn queue(&self) -> Option<&dyn JobQueue> {
        self.queue.as_deref()
    }

    /// Gives committed jobs to the queue, in the background. What the queue does not take, the outbox delivers later.
    pub fn deliver(&self, lane: Lane, ids: Vec<JobId>) {
        if ids.is_empty() || self.queue.is_none() {
            return;
        }
        let jobs = self.clone();
        tokio::spawn(async move {
            if let Err(error) = jobs.deliver_now(lane, &ids).await {
                tracing::warn!(%error, lane = lane.as_str(), "jobs will be delivered later");
            }
        });
    }

    pub(super) async fn deliver_now(&self, lane: Lane, ids: &[JobId]) -> crate::Result<()> {
        let Some(queue) = &self.queue else { return Ok(()) };
        // Marked first: a worker may be so fast that the mark would come after the end.
        outbox::mark_delivered(&self.db, ids).await?;
        match queue.push(lane, ids).await {
            Ok(()) => Ok(()),
            Err(error) => {
                outbox::mark_undelivered(&self.db, ids).await?;
                Err(crate::Error::internal(error))
            }
        }
    }
}
