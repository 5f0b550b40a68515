//! Reads policies and their versions, within one account. Changes nothing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::{moderation_policy, moderation_policy_version};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, Select, sea_query::ExprTrait};
use serde_json::Value;

use super::{
    Policies,
    rows::{no_policy, of, version_row},
};
use crate::{
    Error, Result,
    foundation::{
        database::Database,
        page::{Page, Slice, slice},
        search::occurs,
    },
};
use ports::id::{AccountId, PolicyId};

/// A policy with the version that decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// `policy_…`
    pub id: PolicyId,
    pub account: AccountId,
    /// Unique within the account.
    pub name: String,
    /// May be empty.
    pub description: String,
    /// The version that decides.
    pub version: PolicyVersion,
    /// The number of the version that decides beside it, to be recorded.
    pub shadow: Option<i32>,
    /// Set while the policy is archived and does not decide.
    pub archived_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A version of a policy's rules. It never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyVersion {
    /// 1, 2, 3, …
    pub number: i32,
    /// The rules in JSON.
    pub rules: Value,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
}

/// A filter on policies.
#[derive(Clone, Debug, Default)]
pub struct PolicyFilter {
    /// True: only archived policies. False: only the others. `None`: both.
    pub archived: Option<bool>,
    /// Only policies whose name contains this text, case-insensitive.
    pub name: Option<String>,
}

impl Policies {
    /// Reads one policy of an account.
    ///
    /// # Errors
    /// `NOT_FOUND` without it, with the same message for a policy of another account.
    pub async fn find(&self, account: &AccountId, id: &PolicyId) -> Result<Policy> {
        let row = of(account).filter(moderation_policy::Column::Id.eq(id.as_str()));
        let row = self.db().in_time(row.one(self.db().read())).await?.ok_or_else(no_policy)?;
        with_versions(self.db(), vec![row]).await?.pop().ok_or_else(no_policy)
    }

    /// Reads a page of an account's policies, newest first; keys are ids.
    pub async fn list(
        &self,
        account: &AccountId,
        filter: &PolicyFilter,
        page: Page<String>,
    ) -> Result<Slice<Policy>> {
        let Slice { items, has_previous, has_next } = slice(
            filtered(self.db(), account, filter),
            moderation_policy::Column::Id,
            true,
            page,
            self.db().read(),
        )
        .await?;
        Ok(Slice { items: with_versions(self.db(), items).await?, has_previous, has_next })
    }

    /// Counts an account's policies.
    pub async fn count(&self, account: &AccountId, filter: &PolicyFilter) -> Result<u64> {
        Ok(filtered(self.db(), account, filter).count(self.db().read()).await?)
    }

    /// Reads a page of the versions of a policy, newest first; keys are their numbers.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a policy.
    pub async fn versions(
        &self,
        account: &AccountId,
        id: &PolicyId,
        page: Page<i64>,
    ) -> Result<Slice<PolicyVersion>> {
        self.find(account, id).await?;
        let column = moderation_policy_version::Column::Version;
        let rows = moderation_policy_version::Entity::find()
            .filter(moderation_policy_version::Column::PolicyId.eq(id.as_str()));
        slice(rows, column, true, page, self.db().read()).await?.try_map(read_version)
    }
}

impl Policies {
    /// Counts the versions of a policy.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn count_versions(&self, id: &PolicyId) -> Result<u64> {
        let rows = moderation_policy_version::Entity::find()
            .filter(moderation_policy_version::Column::PolicyId.eq(id.as_str()));
        Ok(rows.count(self.db().read()).await?)
    }

    /// Reads a version of a policy of the account.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` without it, or when the database does not answer.
    pub async fn version(&self, id: &PolicyId, number: i32) -> Result<PolicyVersion> {
        let row = self.db().in_time(version_row(self.db().read(), id.as_str(), number)).await?;
        read_version(row)
    }
}

fn filtered(db: &Database, account: &AccountId, filter: &PolicyFilter) -> Select<moderation_policy::Entity> {
    let mut query = of(account);
    if let Some(archived) = filter.archived {
        let column = moderation_policy::Column::ArchivedAt;
        query = query.filter(if archived { column.is_not_null() } else { column.is_null() });
    }
    if let Some(name) = filter.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        query = query.filter(occurs(db, moderation_policy::Column::Name, name));
    }
    query
}

async fn with_versions(db: &Database, rows: Vec<moderation_policy::Model>) -> Result<Vec<Policy>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let newest = rows.iter().fold(sea_orm::Condition::any(), |any, row| {
        let policy = moderation_policy_version::Column::PolicyId.eq(&row.id);
        any.add(policy.and(moderation_policy_version::Column::Version.eq(row.version)))
    });
    let versions = moderation_policy_version::Entity::find().filter(newest);
    let versions = db.in_time(versions.all(db.read())).await?;
    let mut versions: HashMap<String, moderation_policy_version::Model> =
        versions.into_iter().map(|row| (row.policy_id.clone(), row)).collect();
    let policy = |row: moderation_policy::Model| {
        let version =
            versions.remove(&row.id).ok_or_else(|| Error::internal(format!("{} has no version", row.id)))?;
        Ok(Policy {
            id: PolicyId::from(row.id),
            account: AccountId::from(row.account_id),
            name: row.name,
            description: row.description,
            version: read_version(version)?,
            shadow: row.shadow_version,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    };
    rows.into_iter().map(policy).collect()
}

fn read_version(row: moderation_policy_version::Model) -> Result<PolicyVersion> {
    Ok(PolicyVersion {
        number: row.version,
        rules: serde_json::from_str(&row.rules).map_err(Error::internal)?,
        created_by: row.created_by,
        created_at: row.created_at,
    })
}
