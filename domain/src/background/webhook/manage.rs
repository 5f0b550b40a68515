//! Creates, changes and deletes endpoints, and rotates their secrets.

use chrono::{TimeDelta, Utc};
use entity::{webhook_delivery, webhook_endpoint};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DatabaseTransaction, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QuerySelect,
};
use serde_json::json;

use super::{
    EventType, SigningSecret, WebhookEndpoint, Webhooks,
    endpoint::{no_endpoint, of},
};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
    },
    money::credits::lock_account,
};
use ports::id::WebhookId;

/// Maximum endpoints of an account.
const MAX_ENDPOINTS: u64 = 10;
/// Maximum characters of a description.
const DESCRIPTION_CHARS: usize = 200;
/// How long the previous secret signs too after a rotation.
const ROTATION: TimeDelta = TimeDelta::hours(24);

/// The fields of a new endpoint.
#[derive(Clone, Debug)]
pub struct NewEndpoint {
    pub url: String,
    /// Up to 200 characters on one line; may be empty.
    pub description: String,
    /// The types of events that are sent to it; empty for all.
    pub event_types: Vec<String>,
}

/// A change of an endpoint; a field that is `None` stays.
#[derive(Clone, Debug, Default)]
pub struct EndpointChange {
    pub url: Option<String>,
    pub description: Option<String>,
    pub event_types: Option<Vec<String>>,
    pub enabled: Option<bool>,
}

impl Webhooks {
    /// Creates an endpoint and returns its secret, which is not shown again.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field; `CONFLICT` when the account has too many.
    pub async fn create(&self, actor: &Actor, new: NewEndpoint) -> Result<(WebhookEndpoint, SigningSecret)> {
        actor.require(Role::Editor)?;
        let url = self.sender.parse("url", &new.url)?;
        let description = description(&new.description)?;
        let event_types = joined(&new.event_types)?;
        let id = WebhookId::new();
        let secret = SigningSecret::generate();
        let now = Utc::now();
        let tx = self.db.begin().await?;
        // The lock makes the count exact.
        lock_account(&tx, &actor.account).await?;
        if of(&actor.account).count(&tx).await? >= MAX_ENDPOINTS {
            let message =
                format!("an account can have at most {MAX_ENDPOINTS} webhook endpoints: delete one first");
            return Err(Error::new(Code::Conflict, message));
        }
        let row = webhook_endpoint::Model {
            id: id.to_string(),
            account_id: actor.account.to_string(),
            url: url.into(),
            description,
            event_types,
            secret: secret.reveal().to_owned(),
            previous_secret: None,
            previous_secret_until: None,
            enabled: true,
            disabled_reason: None,
            failing_since: None,
            created_by: actor.name().to_owned(),
            created_at: now,
            updated_at: now,
        };
        let inserted = row.clone().into_active_model().reset_all();
        webhook_endpoint::Entity::insert(inserted).exec_without_returning(&tx).await?;
        let detail = json!({ "event_types": new.event_types });
        audit::write(&tx, audit::Change::by(actor, audit::Action::WebhookCreate, id.as_str()).with(detail))
            .await?;
        tx.commit().await?;
        Ok((row.into(), secret))
    }

    /// Changes an endpoint. Enabling it again clears its failures.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `VALIDATION_FAILED` naming the field.
    pub async fn update(
        &self,
        actor: &Actor,
        id: &WebhookId,
        change: EndpointChange,
    ) -> Result<WebhookEndpoint> {
        actor.require(Role::Editor)?;
        let tx = self.db.begin().await?;
        let mut row = locked(&tx, actor, id).await?.into_active_model();
        let mut changed = Vec::new();
        if let Some(url) = &change.url {
            row.url = Set(self.sender.parse("url", url)?.into());
            changed.push("url");
        }
        if let Some(text) = &change.description {
            row.description = Set(description(text)?);
            changed.push("description");
        }
        if let Some(names) = &change.event_types {
            row.event_types = Set(joined(names)?);
            changed.push("event_types");
        }
        if let Some(enabled) = change.enabled {
            row.enabled = Set(enabled);
            row.disabled_reason = Set(None);
            row.failing_since = Set(None);
            changed.push("enabled");
        }
        row.updated_at = Set(Utc::now());
        row.update(&tx).await?;
        let detail = json!({ "changed": changed, "enabled": change.enabled });
        audit::write(&tx, audit::Change::by(actor, audit::Action::WebhookUpdate, id.as_str()).with(detail))
            .await?;
        tx.commit().await?;
        self.find(&actor.account, id).await
    }

    /// Deletes an endpoint with its deliveries. Queued ones are no longer sent.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it.
    pub async fn delete(&self, actor: &Actor, id: &WebhookId) -> Result<()> {
        actor.require(Role::Editor)?;
        let tx = self.db.begin().await?;
        locked(&tx, actor, id).await?;
        let deliveries = webhook_delivery::Entity::delete_many();
        deliveries.filter(webhook_delivery::Column::EndpointId.eq(id.as_str())).exec(&tx).await?;
        webhook_endpoint::Entity::delete_by_id(id.as_str()).exec(&tx).await?;
        audit::write(&tx, audit::Change::by(actor, audit::Action::WebhookDelete, id.as_str())).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Gives an endpoint a new secret, which is not shown again. The previous one signs too for [`ROTATION`].
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it.
    pub async fn rotate_secret(
        &self,
        actor: &Actor,
        id: &WebhookId,
    ) -> Result<(WebhookEndpoint, SigningSecret)> {
        actor.require(Role::Editor)?;
        let secret = SigningSecret::generate();
        let now = Utc::now();
        let tx = self.db.begin().await?;
        let row = locked(&tx, actor, id).await?;
        let before = row.secret.clone();
        let mut row = row.into_active_model();
        row.secret = Set(secret.reveal().to_owned());
        row.previous_secret = Set(Some(before));
        row.previous_secret_until = Set(Some(now + ROTATION));
        row.updated_at = Set(now);
        row.update(&tx).await?;
        audit::write(&tx, audit::Change::by(actor, audit::Action::WebhookRotateSecret, id.as_str())).await?;
        tx.commit().await?;
        Ok((self.find(&actor.account, id).await?, secret))
    }
}

/// Locks an endpoint of the actor's account.
pub(super) async fn locked(
    tx: &DatabaseTransaction,
    actor: &Actor,
    id: &WebhookId,
) -> Result<webhook_endpoint::Model> {
    let row = of(&actor.account).filter(webhook_endpoint::Column::Id.eq(id.as_str()));
    row.lock_exclusive().one(tx).await?.ok_or_else(no_endpoint)
}

fn description(text: &str) -> Result<String> {
    let text = text.trim();
    if text.chars().count() > DESCRIPTION_CHARS || text.chars().any(char::is_control) {
        let message = format!("must be at most {DESCRIPTION_CHARS} characters on one line");
        return Err(Error::invalid("description", message));
    }
    Ok(text.to_owned())
}

fn joined(names: &[String]) -> Result<String> {
    let types = EventType::parse_all(names)?;
    Ok(types.into_iter().map(EventType::as_str).collect::<Vec<_>>().join(","))
}
