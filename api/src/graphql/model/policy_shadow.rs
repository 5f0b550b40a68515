//! The shadow of a moderation policy, and what it would have done.

use async_graphql::{Context, Json, Object, SimpleObject};
use domain::{
    learning::dataset::stats::{self, ShadowVersion},
    operations::moderation::policies,
};
use ports::id::{AccountId, PolicyId};
use serde_json::Value;

use super::{Actor, ModerationAction};
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
};

/// The complexity of counting what a shadow would have done.
const OUTCOMES_COST: usize = 50;

pub(crate) struct PolicyShadow {
    account: AccountId,
    policy: PolicyId,
    version: policies::PolicyVersion,
}

/// The shadow of a policy, if it has one.
pub(super) async fn shadow_of(
    ctx: &Context<'_>,
    policy: &policies::Policy,
) -> FieldResult<Option<PolicyShadow>> {
    let Some(number) = policy.shadow else { return Ok(None) };
    let version = services(ctx)?.policies.version(&policy.id, number).await.map_err(field_error)?;
    Ok(Some(PolicyShadow { account: policy.account.clone(), policy: policy.id.clone(), version }))
}

/// A version of a policy that decides beside the one that applies. Its verdicts are recorded in the moderation log and
/// never acted on.
#[Object]
impl PolicyShadow {
    /// The version's number.
    async fn version(&self) -> i32 {
        self.version.number
    }

    /// The rules: a JSON object.
    async fn rules(&self) -> Json<&Value> {
        Json(&self.version.rules)
    }

    /// Who made it.
    async fn created_by(&self) -> Actor {
        Actor(self.version.created_by.clone())
    }

    /// Since when it decides beside the policy.
    async fn created_at(&self) -> DateTime {
        self.version.created_at.into()
    }

    /// The messages of the moderation log that both have decided on since, by their decisions. Empty while the log is
    /// off: nothing is recorded then.
    #[graphql(complexity = "OUTCOMES_COST + child_complexity")]
    async fn outcomes(&self, ctx: &Context<'_>) -> FieldResult<Vec<ShadowOutcome>> {
        let services = services(ctx)?;
        let Some(log) = services.moderation_logs.find(&self.account).await.map_err(field_error)? else {
            return Ok(Vec::new());
        };
        let shadow = ShadowVersion { policy: self.policy.clone(), version: self.version.number };
        let outcomes = services.statistics.shadow(&self.account, &log.id, &shadow).await;
        Ok(outcomes.map_err(field_error)?.into_iter().map(ShadowOutcome::from).collect())
    }
}

/// The messages on which a policy and its shadow decided in the same way.
#[derive(SimpleObject)]
pub(crate) struct ShadowOutcome {
    /// What the policy did.
    live: ModerationAction,
    /// What its shadow would have done.
    shadow: ModerationAction,
    /// The number of messages.
    messages: u64,
}

impl From<stats::ShadowOutcome> for ShadowOutcome {
    fn from(of: stats::ShadowOutcome) -> Self {
        Self { live: of.live.into(), shadow: of.shadow.into(), messages: of.messages }
    }
}
