//! The port of a queue that delivers the ids of jobs to workers.

use async_trait::async_trait;

use super::Lane;
use ports::id::JobId;

/// Why a queue did not take or deliver ids.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct QueueError(pub String);

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
