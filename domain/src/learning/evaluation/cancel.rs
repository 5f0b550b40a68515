//! Cancels evaluations.

use super::{evaluations::Evaluations, store::Evaluation};
use crate::{Result, foundation::actor::Actor};
use ports::id::EvaluationId;

impl Evaluations {
    /// Cancels an evaluation: at once while it is queued, within seconds while it runs. What was answered stays
    /// charged; the rest is released. Repeating is no error.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `CONFLICT` when it has ended otherwise.
    pub async fn cancel(&self, actor: &Actor, id: &EvaluationId) -> Result<Evaluation> {
        self.paid.cancel(self, actor, id.as_str()).await
    }
}
