//! What the shadow version of a policy would have done, beside what the policy did.

use super::{
    Statistics,
    select::{Scope, Select, Table, count},
};
use crate::{Error, Result, learning::dataset::SampleFilter, operations::moderation::Action};
use ports::id::{AccountId, DatasetId, PolicyId};

/// The shadow version of a policy.
#[derive(Clone, Debug)]
pub struct ShadowVersion {
    pub policy: PolicyId,
    pub version: i32,
}

/// The messages on which a policy and its shadow decided in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowOutcome {
    /// What the policy did.
    pub live: Action,
    /// What its shadow would have done.
    pub shadow: Action,
    pub messages: u64,
}

impl Statistics {
    /// Counts the messages of a moderation log by what a policy and its shadow decided, those actions first that are
    /// mildest.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn shadow(
        &self,
        account: &AccountId,
        log: &DatasetId,
        shadow: &ShadowVersion,
    ) -> Result<Vec<ShadowOutcome>> {
        let filter = SampleFilter::default();
        let scope = Scope { db: &self.db, account, filter: &filter };
        let what = "s.action AS live, s.shadow_action AS shadow, COUNT(*) AS messages";
        let mut select = Select::of(scope, what, Table::Samples, std::slice::from_ref(log));
        let policy = select.bind(shadow.policy.as_str());
        let version = select.bind(shadow.version);
        let rest = format!(" AND s.policy_id = {policy} AND s.shadow_version = {version} GROUP BY 1, 2");
        select.sql += rest.as_str();
        let rows = select.rows(&self.db, account).await?;
        let mut outcomes = Vec::with_capacity(rows.len());
        for row in rows {
            outcomes.push(ShadowOutcome {
                live: action(&row.try_get::<String>("", "live")?)?,
                shadow: action(&row.try_get::<String>("", "shadow")?)?,
                messages: count(&row, "messages")?,
            });
        }
        outcomes.sort_unstable_by_key(|outcome| (outcome.live, outcome.shadow));
        Ok(outcomes)
    }
}

fn action(name: &str) -> Result<Action> {
    let action = Action::ALL.into_iter().find(|action| action.as_str() == name);
    action.ok_or_else(|| Error::internal("a sample has an unknown action"))
}
