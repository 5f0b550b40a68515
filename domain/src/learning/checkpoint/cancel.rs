//! Cancels Checkpoints.

use super::{checkpoints::Checkpoints, store::Checkpoint};
use crate::{Result, foundation::actor::Actor};
use ports::id::CheckpointId;

impl Checkpoints {
    /// Cancels a Checkpoint: at once while it is queued; within seconds while it is trained, unless it succeeds before.
    /// Its credits are released. Repeating is no error.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `CONFLICT` when it has succeeded or failed.
    pub async fn cancel(&self, actor: &Actor, id: &CheckpointId) -> Result<Checkpoint> {
        self.paid.cancel(self, actor, id.as_str()).await
    }
}
