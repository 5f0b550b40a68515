//! Which backends an API key may use. A key makes and changes keys only within its own limits, and a limit that gets
//! narrower narrows those of the keys that it made.

use entity::api_key;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr};
use serde_json::json;

use super::{ApiKey, ApiKeys};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Identity, Role},
        allowed_backends::AllowedBackends,
        audit,
    },
};
use ports::id::{AccountId, KeyId};

impl ApiKeys {
    /// Limits a key to some backends, and with it the keys that it made. All replicas follow within 5 seconds.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst, and for an API key that would allow more than it may use itself; `NOT_FOUND` for an
    /// unknown key or one of another account.
    pub async fn set_backends_by(
        &self,
        actor: &Actor,
        key: &KeyId,
        backends: &AllowedBackends,
    ) -> Result<ApiKey> {
        actor.require(Role::Editor)?;
        let tx = self.db.begin().await?;
        if let Identity::Key(own) = &actor.identity {
            let row = api_key::Entity::find_by_id(own.as_str()).lock_shared().one(&tx).await?;
            let allowed = row.ok_or_else(no_key)?.backends;
            AllowedBackends::stored(allowed.as_deref()).require_within(backends)?;
        }
        set(&tx, &actor.account, key, backends).await?;
        let detail = json!({ "backends": backends.names() });
        audit::write(&tx, audit::Change::by(actor, audit::Action::ApiKeyUpdate, key.as_str()).with(detail))
            .await?;
        tx.commit().await?;
        self.find(&actor.account, key).await
    }

    /// Limits a key to some backends, for the command line.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown key.
    pub async fn set_backends(&self, key: &KeyId, backends: &AllowedBackends) -> Result<()> {
        let tx = self.db.begin().await?;
        let row = api_key::Entity::find_by_id(key.as_str()).one(&tx).await?;
        let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("there is no API key {key}")))?;
        let account = AccountId::from(row.account_id);
        set(&tx, &account, key, backends).await?;
        let change = audit::Change::by_command_line(&account, audit::Action::ApiKeyUpdate, key.as_str());
        audit::write(&tx, change.with(json!({ "backends": backends.names() }))).await?;
        tx.commit().await?;
        Ok(())
    }
}

async fn set(
    tx: &impl ConnectionTrait,
    account: &AccountId,
    key: &KeyId,
    backends: &AllowedBackends,
) -> Result<()> {
    let ours = of_account(account).filter(api_key::Column::Id.eq(key.as_str())).lock_exclusive();
    ours.one(tx).await?.ok_or_else(no_key)?;
    write(tx, key.as_str(), backends).await?;
    let mut makers = vec![key.to_string()];
    // A maker is always older than the keys that it made, so this ends.
    while !makers.is_empty() {
        let made = of_account(account).filter(api_key::Column::LimitedBy.is_in(makers)).lock_exclusive();
        makers = Vec::new();
        for row in made.all(tx).await? {
            let before = AllowedBackends::stored(row.backends.as_deref());
            let after = before.and(backends);
            if after != before {
                write(tx, &row.id, &after).await?;
            }
            makers.push(row.id);
        }
    }
    Ok(())
}

async fn write(tx: &impl ConnectionTrait, key: &str, backends: &AllowedBackends) -> Result<()> {
    api_key::Entity::update_many()
        .col_expr(api_key::Column::Backends, Expr::value(backends.to_column()))
        .filter(api_key::Column::Id.eq(key))
        .exec(tx)
        .await?;
    Ok(())
}

fn of_account(account: &AccountId) -> sea_orm::Select<api_key::Entity> {
    api_key::Entity::find().filter(api_key::Column::AccountId.eq(account.as_str()))
}

fn no_key() -> Error {
    Error::not_found("API key")
}
