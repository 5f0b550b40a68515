//! The rows of policies and of their versions, within one account.

use entity::{moderation_policy, moderation_policy_version};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Select, sea_query::LockType,
};

use crate::{Error, Result};
use ports::id::{AccountId, PolicyId};

pub(super) fn of(account: &AccountId) -> Select<moderation_policy::Entity> {
    moderation_policy::Entity::find().filter(moderation_policy::Column::AccountId.eq(account.as_str()))
}

/// Reads a policy and locks it against changes until the transaction ends.
pub(super) async fn lock(
    tx: &impl ConnectionTrait,
    account: &AccountId,
    id: &PolicyId,
) -> Result<moderation_policy::Model> {
    let row = of(account).filter(moderation_policy::Column::Id.eq(id.as_str()));
    row.lock(LockType::NoKeyUpdate).one(tx).await?.ok_or_else(no_policy)
}

pub(super) async fn version_row(
    db: &impl ConnectionTrait,
    id: &str,
    number: i32,
) -> Result<moderation_policy_version::Model> {
    let row = moderation_policy_version::Entity::find_by_id((id.to_owned(), number)).one(db).await?;
    row.ok_or_else(|| Error::internal(format!("{id} has no version {number}")))
}

pub(super) fn no_policy() -> Error {
    Error::not_found("moderation policy")
}
