//! Cancels Checkpoints.

use super::{checkpoints::Checkpoints, store::Checkpoint};
use crate::{
    Result,
    background::job::{Cancellation, Kind},
    foundation::{
        actor::{Actor, Role},
        audit,
    },
};
use ports::id::CheckpointId;

impl Checkpoints {
    /// Cancels a Checkpoint: at once while it is queued; within seconds while it is trained, unless it succeeds before. Its
    /// credits are released. Repeating is no error.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `CONFLICT` when it has succeeded or failed.
    pub async fn cancel(&self, actor: &Actor, id: &CheckpointId) -> Result<Checkpoint> {
        actor.require(Role::Editor)?;
        let found = self.find(&actor.account, id).await?;
        let cancellation = Cancellation {
            subject: self,
            noun: "Checkpoint",
            kind: Kind::TrainCheckpoint,
            job: &found.job,
            state: found.state,
            change: audit::Change::by(actor, audit::Action::CheckpointCancel, id.as_str()),
        };
        self.paid.cancel(cancellation).await?;
        self.find(&actor.account, id).await
    }
}
