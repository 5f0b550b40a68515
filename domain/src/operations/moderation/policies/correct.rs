//! Corrections of what was found about rules in plain language: a message becomes an example in a new version of its
//! policy, from which the rule's threshold is fitted anew.

use chrono::Utc;
use entity::moderation_policy;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use super::{
    Policies,
    edit::{next_version, write_version},
    rows::{lock, version_row},
};
use crate::{
    Code, Error, Result,
    foundation::{actor::Actor, audit},
    money::credits::lock_account,
    operations::moderation::{
        PolicyRef,
        rules::{ExampleCount, RuleCorrection, RuleSet},
    },
};
use ports::id::{AccountId, PolicyId};

/// A message that a moderator makes an example.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorrectedMessage<'a> {
    pub(crate) content: &'a str,
    pub(crate) corrections: &'a [RuleCorrection],
    /// Whether it may be an example of the opposite until now.
    pub(crate) overwrite: bool,
}

/// The rules that a moderator has corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorrectedRules {
    /// The version that decides now.
    pub policy: PolicyRef,
    /// The examples of each corrected rule.
    pub examples: Vec<ExampleCount>,
}

impl Policies {
    /// What a message is an example of, in the version of a policy that decides.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a policy.
    pub async fn examples_of(
        &self,
        account: &AccountId,
        id: &PolicyId,
        content: &str,
    ) -> Result<Vec<RuleCorrection>> {
        let rules = self.find(account, id).await?.version.rules;
        let rules: RuleSet = serde_json::from_value(rules).map_err(Error::internal)?;
        Ok(rules.examples_of(content))
    }

    /// Makes a message an example of rules of the version that decides, or no longer one, all or none. The caller has
    /// checked what the actor may do. What is so already makes no version. A shadow keeps its own examples.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a policy; `VALIDATION_FAILED` for a rule that it does not have; `CONFLICT` when it is
    /// archived, a rule has no room, or the message is an example of the opposite.
    pub(crate) async fn correct(
        &self,
        actor: &Actor,
        id: &PolicyId,
        message: CorrectedMessage<'_>,
    ) -> Result<CorrectedRules> {
        let tx = self.db().begin().await?;
        lock_account(&tx, &actor.account).await?;
        let now = lock(&tx, &actor.account, id).await?;
        if now.archived_at.is_some() {
            let message =
                "the policy that decided on the message is archived, so that its rules cannot learn";
            return Err(Error::new(Code::Conflict, message));
        }
        let stored = version_row(&tx, id.as_str(), now.version).await?.rules;
        let mut rules: RuleSet = serde_json::from_str(&stored).map_err(Error::internal)?;
        let corrections = message.corrections.iter();
        let examples = corrections.map(|one| rules.correct(message.content, one, message.overwrite));
        let examples = examples.collect::<Result<Vec<_>>>()?;
        let rules = serde_json::to_value(&rules).map_err(Error::internal)?;
        // Examples may make them too large.
        let corrected = serde_json::to_string(&RuleSet::parse("rules", &rules)?).map_err(Error::internal)?;
        let mut policy = PolicyRef { id: id.clone(), name: now.name, version: now.version };
        if corrected == stored {
            return Ok(CorrectedRules { policy, examples });
        }
        policy.version = next_version(&tx, id).await?;
        write_version(&tx, id, policy.version, &corrected, actor).await?;
        let row = moderation_policy::ActiveModel {
            id: Set(id.to_string()),
            version: Set(policy.version),
            updated_at: Set(Utc::now()),
            ..Default::default()
        };
        moderation_policy::Entity::update(row).exec(&tx).await?;
        let learnt: Value = message.corrections.iter().map(|one| one.rule.as_str()).collect();
        let detail = json!({ "changed": ["version"], "corrected_rules": learnt });
        let change =
            audit::Change::by(actor, audit::Action::ModerationPolicyUpdate, id.as_str()).with(detail);
        audit::write(&tx, change).await?;
        tx.commit().await?;
        self.changed(&actor.account);
        self.compile_ahead(&actor.account, id, &rules);
        Ok(CorrectedRules { policy, examples })
    }
}
