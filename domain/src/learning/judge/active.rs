//! A Judge that answers.

use std::sync::Arc;

use super::{Judges, compiled::CompiledVersion};
use crate::{
    Code, Error, Result,
    learning::{owner::Judge, sample::storage},
    operations::inference::{Asked, InstructionLimits},
};
use ports::decision::DecisionState;
use ports::id::{AccountId, JudgeId};

/// A Judge that answers.
pub(crate) struct ActiveJudge {
    pub(super) judge: Judge,
    /// Whether requests are recorded. An account without room in its quota gets its answers, which it pays for, but
    /// they are not recorded.
    pub(super) records: bool,
    /// Its schemas, if it has any.
    pub(super) compiled: Option<Arc<CompiledVersion>>,
}

impl ActiveJudge {
    /// What the Judge asks.
    pub(super) fn asked(&self) -> Result<Asked> {
        match self.compiled.as_ref().and_then(|compiled| compiled.asked.as_ref()) {
            Some(asked) => Ok(asked.clone()),
            None => Asked::parse("instructions", &self.judge.version.instructions, InstructionLimits::OWN),
        }
    }

    /// Checks that a state fits the Judge's schema of states.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the place in the state, and the rule.
    pub(super) async fn check_state(&self, state: &DecisionState) -> Result<()> {
        let Some(compiled) = &self.compiled else { return Ok(()) };
        let Some(schema) = &compiled.state else { return Ok(()) };
        if schema.is_quick(state.value()) {
            return schema.check("state", state.value());
        }
        let compiled = compiled.clone();
        let state = state.clone();
        let checked = tokio::task::spawn_blocking(move || {
            compiled.state.as_ref().map_or(Ok(()), |schema| schema.check("state", state.value()))
        });
        checked.await.map_err(Error::internal)?
    }
}

impl Judges {
    /// Reads a Judge that answers.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a Judge in the account, or when it is archived; `CONFLICT` for a moderation log.
    pub(crate) async fn find_active(&self, account: &AccountId, id: &JudgeId) -> Result<ActiveJudge> {
        let judge = self.find(account, id).await?;
        if judge.archived_at.is_some() {
            return Err(Error::new(Code::NotFound, "this Judge is archived and no longer answers"));
        }
        let records = judge.store_content && storage::has_room(&self.db, account).await?;
        let compiled = self.compiled.of(&judge).await?;
        Ok(ActiveJudge { judge, records, compiled })
    }
}
