//! Shadow versions: rules that decide beside those of a policy, and whose verdicts are recorded and never acted on.

use chrono::Utc;
use entity::moderation_policy;
use sea_orm::{ActiveValue::Set, DatabaseTransaction, EntityTrait};
use serde_json::{Value, json};

use super::{
    Policies, Policy,
    edit::{checked, next_version, write_version},
    rows::lock,
};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
    },
    money::credits::lock_account,
};
use ports::id::PolicyId;

/// How a shadow ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShadowEnd {
    /// It decides from then on.
    Activated,
    /// It no longer decides beside the policy.
    Dropped,
}

impl Policies {
    /// Writes rules as a new version of a policy that decides in the shadow of its own, in place of an earlier one.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field; `NOT_FOUND` without such a policy; `CONFLICT`
    /// when it is archived.
    pub async fn shadow(&self, actor: &Actor, id: &PolicyId, rules: &Value) -> Result<Policy> {
        actor.require(Role::Editor)?;
        let checked = checked("rules", rules).await?;
        let tx = self.db().begin().await?;
        lock_account(&tx, &actor.account).await?;
        let now = lock(&tx, &actor.account, id).await?;
        if now.archived_at.is_some() {
            let message = "the policy is archived; bring it back before you change it";
            return Err(Error::new(Code::Conflict, message));
        }
        let number = next_version(&tx, id).await?;
        write_version(&tx, id, number, &checked, actor).await?;
        let row = moderation_policy::ActiveModel { shadow_version: Set(Some(number)), ..changed(id) };
        write(&tx, actor, row, json!({ "changed": ["shadow"], "shadow": number })).await?;
        tx.commit().await?;
        self.changed(&actor.account);
        self.compile_ahead(&actor.account, id, rules);
        self.find(&actor.account, id).await
    }

    /// Ends the shadow of a policy.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a policy; `CONFLICT` without a shadow.
    pub async fn end_shadow(&self, actor: &Actor, id: &PolicyId, end: ShadowEnd) -> Result<Policy> {
        actor.require(Role::Editor)?;
        let tx = self.db().begin().await?;
        lock_account(&tx, &actor.account).await?;
        let now = lock(&tx, &actor.account, id).await?;
        let Some(shadow) = now.shadow_version else {
            return Err(Error::new(Code::Conflict, "the policy has no shadow version"));
        };
        let mut row = moderation_policy::ActiveModel { shadow_version: Set(None), ..changed(id) };
        let mut fields = vec!["shadow"];
        if end == ShadowEnd::Activated {
            row.version = Set(shadow);
            fields.push("version");
        }
        write(&tx, actor, row, json!({ "changed": fields, "shadow": null })).await?;
        tx.commit().await?;
        self.changed(&actor.account);
        self.find(&actor.account, id).await
    }
}

fn changed(id: &PolicyId) -> moderation_policy::ActiveModel {
    moderation_policy::ActiveModel {
        id: Set(id.to_string()),
        updated_at: Set(Utc::now()),
        ..Default::default()
    }
}

async fn write(
    tx: &DatabaseTransaction,
    actor: &Actor,
    row: moderation_policy::ActiveModel,
    detail: Value,
) -> Result<()> {
    let row = moderation_policy::Entity::update(row).exec(tx).await?;
    let change = audit::Change::by(actor, audit::Action::ModerationPolicyUpdate, &row.id).with(detail);
    audit::write(tx, change).await
}
