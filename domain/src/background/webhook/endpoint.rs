//! Reads endpoints.

use chrono::{DateTime, Utc};
use entity::webhook_endpoint;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, Select};

use super::Webhooks;
use crate::{Error, Result};
use ports::id::{AccountId, WebhookId};

/// An endpoint, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpoint {
    /// `webhook_…`
    pub id: WebhookId,
    pub account: AccountId,
    pub url: String,
    /// May be empty.
    pub description: String,
    /// The types of events that are sent to it; empty for all.
    pub event_types: Vec<String>,
    pub enabled: bool,
    /// Why Gavel disabled it.
    pub disabled_reason: Option<String>,
    /// The first failed attempt since the last success.
    pub failing_since: Option<DateTime<Utc>>,
    /// How long the previous secret signs too, after a rotation.
    pub previous_secret_until: Option<DateTime<Utc>>,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl Webhooks {
    /// An endpoint of an account.
    ///
    /// # Errors
    /// `NOT_FOUND` without it, with the same message for one of another account.
    pub async fn find(&self, account: &AccountId, id: &WebhookId) -> Result<WebhookEndpoint> {
        let row = of(account).filter(webhook_endpoint::Column::Id.eq(id.as_str()));
        let row = self.db.in_time(row.one(self.db.read())).await?;
        Ok(row.ok_or_else(no_endpoint)?.into())
    }

    /// The endpoints of an account, newest first; there are few.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn endpoints(&self, account: &AccountId) -> Result<Vec<WebhookEndpoint>> {
        let rows = of(account).order_by_desc(webhook_endpoint::Column::Id);
        Ok(self.db.in_time(rows.all(self.db.read())).await?.into_iter().map(Into::into).collect())
    }
}

pub(super) fn of(account: &AccountId) -> Select<webhook_endpoint::Entity> {
    webhook_endpoint::Entity::find().filter(webhook_endpoint::Column::AccountId.eq(account.as_str()))
}

pub(super) fn no_endpoint() -> Error {
    Error::not_found("webhook endpoint")
}

/// The types of events of a row; empty for all.
pub(super) fn event_types(row: &webhook_endpoint::Model) -> impl Iterator<Item = &str> {
    row.event_types.split(',').filter(|name| !name.is_empty())
}

impl From<webhook_endpoint::Model> for WebhookEndpoint {
    fn from(row: webhook_endpoint::Model) -> Self {
        Self {
            event_types: event_types(&row).map(str::to_owned).collect(),
            id: row.id.into(),
            account: row.account_id.into(),
            url: row.url,
            description: row.description,
            enabled: row.enabled,
            disabled_reason: row.disabled_reason,
            failing_since: row.failing_since,
            previous_secret_until: row.previous_secret_until.filter(|until| *until > Utc::now()),
            created_by: row.created_by,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}
