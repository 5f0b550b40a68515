//! The default policy of an API key: it decides requests that name none.

use entity::api_key;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::json;

use super::{Policies, rows::lock};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
    },
};
use ports::id::{KeyId, PolicyId};

impl Policies {
    /// Sets the default policy of a key, or removes it. All replicas follow within 5 seconds.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` for a key or a policy that the account does not have; `CONFLICT` for an
    /// archived policy.
    pub async fn set_default(&self, actor: &Actor, key: &KeyId, policy: Option<&PolicyId>) -> Result<()> {
        actor.require(Role::Editor)?;
        let tx = self.db().begin().await?;
        if let Some(policy) = policy
            && lock(&tx, &actor.account, policy).await?.archived_at.is_some()
        {
            return Err(Error::new(Code::Conflict, "the policy is archived; bring it back first"));
        }
        let set = api_key::Entity::update_many()
            .col_expr(api_key::Column::ModerationPolicyId, Expr::value(policy.map(PolicyId::to_string)))
            .filter(api_key::Column::AccountId.eq(actor.account.as_str()))
            .filter(api_key::Column::Id.eq(key.as_str()));
        if set.exec(&tx).await?.rows_affected == 0 {
            return Err(Error::not_found("API key"));
        }
        let detail = json!({ "moderation_policy": policy.map(PolicyId::as_str) });
        audit::write(&tx, audit::Change::by(actor, audit::Action::ApiKeyUpdate, key.as_str()).with(detail))
            .await?;
        tx.commit().await?;
        Ok(())
    }
}
