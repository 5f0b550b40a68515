//! Cancels evaluations.

use super::{evaluations::Evaluations, store::Evaluation};
use crate::{
    Result,
    background::job::{Cancellation, Kind},
    foundation::{
        actor::{Actor, Role},
        audit,
    },
};
use ports::id::EvaluationId;

impl Evaluations {
    /// Cancels an evaluation: at once while it is queued, within seconds while it runs. What was answered stays charged; the
    /// rest is released. Repeating is no error.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `CONFLICT` when it has ended otherwise.
    pub async fn cancel(&self, actor: &Actor, id: &EvaluationId) -> Result<Evaluation> {
        actor.require(Role::Editor)?;
        let found = self.find(&actor.account, id).await?;
        let cancellation = Cancellation {
            subject: self,
            noun: "evaluation",
            kind: Kind::Evaluate,
            job: &found.job,
            state: found.state,
            change: audit::Change::by(actor, audit::Action::EvaluationCancel, id.as_str()),
        };
        self.paid.cancel(cancellation).await?;
        self.find(&actor.account, id).await
    }
}
