//! Reads deliveries.

use chrono::{DateTime, Utc};
use entity::webhook_delivery;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, Select};
use strum::{EnumString, IntoStaticStr};

use super::Webhooks;
use crate::{
    Error, Result,
    foundation::page::{Page, Slice, slice},
};
use ports::id::{AccountId, DeliveryId, EventId, WebhookId};

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryState {
    /// Waits to be sent, for the first time or again.
    Queued,
    /// The endpoint answered with a status of 200 to 299.
    Delivered,
    /// Is not sent again.
    Failed,
}

impl DeliveryState {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    fn parse(name: &str) -> Result<Self> {
        name.parse().map_err(|_| Error::internal(format!("`{name}` is no state of a delivery")))
    }
}

/// An event on its way to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// `delivery_…`
    pub id: DeliveryId,
    pub endpoint: WebhookId,
    /// The header `webhook-id`.
    pub event: EventId,
    /// Such as `batch.completed`.
    pub event_type: String,
    /// The body.
    pub payload: String,
    pub state: DeliveryState,
    /// Requests that were sent, or could not be.
    pub attempts: i32,
    /// The HTTP status of the last answer.
    pub status: Option<i32>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    pub created_at: DateTime<Utc>,
    pub attempted_at: Option<DateTime<Utc>>,
    /// Set while it is queued after a failed attempt.
    pub next_attempt_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}

impl Webhooks {
    /// A delivery of an account.
    ///
    /// # Errors
    /// `NOT_FOUND` without it, with the same message for one of another account.
    pub async fn find_delivery(&self, account: &AccountId, id: &DeliveryId) -> Result<WebhookDelivery> {
        let row = of(account).filter(webhook_delivery::Column::Id.eq(id.as_str()));
        self.db.in_time(row.one(self.db.read())).await?.ok_or_else(no_delivery)?.try_into()
    }

    /// A page of the deliveries to an endpoint, newest first, keyed by id.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn page(
        &self,
        account: &AccountId,
        endpoint: &WebhookId,
        state: Option<DeliveryState>,
        page: Page<String>,
    ) -> Result<Slice<WebhookDelivery>> {
        let rows = filtered(account, endpoint, state);
        let rows = slice(rows, webhook_delivery::Column::Id, true, page, self.db.read());
        let rows: Slice<webhook_delivery::Model> = self.db.in_time(rows).await?;
        rows.try_map(WebhookDelivery::try_from)
    }

    /// Counts the deliveries to an endpoint.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn count(
        &self,
        account: &AccountId,
        endpoint: &WebhookId,
        state: Option<DeliveryState>,
    ) -> Result<u64> {
        Ok(self.db.in_time(filtered(account, endpoint, state).count(self.db.read())).await?)
    }
}

pub(super) fn of(account: &AccountId) -> Select<webhook_delivery::Entity> {
    webhook_delivery::Entity::find().filter(webhook_delivery::Column::AccountId.eq(account.as_str()))
}

/// The deliveries of an account that are to be sent.
pub(super) fn queued(account: &AccountId) -> Select<webhook_delivery::Entity> {
    of(account).filter(webhook_delivery::Column::State.eq(DeliveryState::Queued.as_str()))
}

pub(super) fn no_delivery() -> Error {
    Error::not_found("webhook delivery")
}

fn filtered(
    account: &AccountId,
    endpoint: &WebhookId,
    state: Option<DeliveryState>,
) -> Select<webhook_delivery::Entity> {
    let to = of(account).filter(webhook_delivery::Column::EndpointId.eq(endpoint.as_str()));
    match state {
        Some(state) => to.filter(webhook_delivery::Column::State.eq(state.as_str())),
        None => to,
    }
}

impl TryFrom<webhook_delivery::Model> for WebhookDelivery {
    type Error = Error;

    fn try_from(row: webhook_delivery::Model) -> Result<Self> {
        Ok(Self {
            state: DeliveryState::parse(&row.state)?,
            id: row.id.into(),
            endpoint: row.endpoint_id.into(),
            event: row.event_id.into(),
            event_type: row.event_type,
            payload: row.payload,
            attempts: row.attempts,
            status: row.status,
            error: row.error,
            created_at: row.created_at,
            attempted_at: row.attempted_at,
            next_attempt_at: row.next_attempt_at,
            finished_at: row.finished_at,
        })
    }
}
