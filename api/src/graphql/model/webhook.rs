//! Webhook endpoints, without their secrets, and deliveries to them.

use async_graphql::{Context, Enum, ID, Object, SimpleObject};
use domain::background::webhook::{self, DeliveryState};
use ports::id::AccountId;

use super::Actor;
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection, cost, count_of},
};

pub(crate) struct WebhookEndpoint(pub(crate) webhook::WebhookEndpoint);

pub(crate) type WebhookDeliveryConnection = ListConnection<WebhookDelivery>;

/// The complexity of a list of endpoints: an account has that many at most.
pub(super) const ENDPOINTS_COST: usize = 10;

/// The state of a webhook delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum WebhookDeliveryState {
    /// It waits to be sent, for the first time or again.
    Queued,
    /// The endpoint has answered with a status of 200 to 299.
    Delivered,
    /// It is not sent any more.
    Failed,
}

impl From<DeliveryState> for WebhookDeliveryState {
    fn from(state: DeliveryState) -> Self {
        match state {
            DeliveryState::Queued => WebhookDeliveryState::Queued,
            DeliveryState::Delivered => WebhookDeliveryState::Delivered,
            DeliveryState::Failed => WebhookDeliveryState::Failed,
        }
    }
}

impl From<WebhookDeliveryState> for DeliveryState {
    fn from(state: WebhookDeliveryState) -> Self {
        match state {
            WebhookDeliveryState::Queued => DeliveryState::Queued,
            WebhookDeliveryState::Delivered => DeliveryState::Delivered,
            WebhookDeliveryState::Failed => DeliveryState::Failed,
        }
    }
}

/// A URL that events of the account are sent to, signed. Its secret was shown once, when it was created or rotated.
#[Object]
impl WebhookEndpoint {
    /// The endpoint's id, `webhook_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// Where events are sent.
    async fn url(&self) -> &str {
        &self.0.url
    }

    /// What it is for; may be empty.
    async fn description(&self) -> &str {
        &self.0.description
    }

    /// The types of events that are sent to it, such as `batch.completed`; empty for all.
    async fn event_types(&self) -> &[String] {
        &self.0.event_types
    }

    /// Whether events are sent to it.
    async fn enabled(&self) -> bool {
        self.0.enabled
    }

    /// Why Gavel disabled it; null if it is enabled, or was disabled by somebody.
    async fn disabled_reason(&self) -> Option<&str> {
        self.0.disabled_reason.as_deref()
    }

    /// The first failed attempt since the last success; null if the last attempt succeeded. After 5 days it is
    /// disabled.
    async fn failing_since(&self) -> Option<DateTime> {
        self.0.failing_since.map(DateTime)
    }

    /// Until when the secret before the last rotation signs too; null if it does not.
    async fn previous_secret_until(&self) -> Option<DateTime> {
        self.0.previous_secret_until.map(DateTime)
    }

    /// Who created it.
    async fn created_by(&self) -> Actor {
        Actor(self.0.created_by.clone())
    }

    /// When it was created.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// When it was last changed.
    async fn updated_at(&self) -> DateTime {
        self.0.updated_at.into()
    }

    /// The events that were sent to it, or are to be sent, newest first. Kept for 30 days after their end.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn deliveries(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only deliveries in this state.")] state: Option<WebhookDeliveryState>,
    ) -> FieldResult<WebhookDeliveryConnection> {
        let webhooks = services(ctx)?.webhooks.clone();
        let account = self.0.account.clone();
        let id = self.0.id.clone();
        let list = format!("deliveries:{id}");
        let state = state.map(DeliveryState::from);
        let page = PageArgs { first, after, last, before }.page::<String>(&list)?;
        let slice = webhooks.page(&account, &id, state, page).await.map_err(field_error)?;
        let count = count_of((webhooks, account, id), move |(webhooks, account, id)| async move {
            webhooks.count(&account, &id, state).await
        });
        Ok(connection(&list, slice, |row| row.id.to_string(), WebhookDelivery::from, count))
    }
}

/// An event on its way to a webhook endpoint.
#[derive(SimpleObject)]
pub(crate) struct WebhookDelivery {
    /// The delivery's id, `delivery_…`.
    id: ID,
    /// The event's id, `event_…`: the header `webhook-id`, the same in all attempts and for all endpoints.
    event_id: ID,
    /// The event's type, such as `batch.completed` or `ping`.
    event_type: String,
    /// The body, as it is signed and sent.
    body: String,
    /// Its state.
    state: WebhookDeliveryState,
    /// How often it was sent, or tried to be.
    attempts: i32,
    /// The HTTP status of the last answer; null without one.
    status: Option<i32>,
    /// Why the last attempt failed.
    error: Option<String>,
    /// When the event happened.
    created_at: DateTime,
    /// When it was last sent.
    attempted_at: Option<DateTime>,
    /// When it is sent again, after a failed attempt.
    next_attempt_at: Option<DateTime>,
    /// When it was delivered or given up.
    finished_at: Option<DateTime>,
}

impl From<webhook::WebhookDelivery> for WebhookDelivery {
    fn from(row: webhook::WebhookDelivery) -> Self {
        Self {
            id: ID(row.id.to_string()),
            event_id: ID(row.event.to_string()),
            event_type: row.event_type,
            body: row.payload,
            state: row.state.into(),
            attempts: row.attempts,
            status: row.status,
            error: row.error,
            created_at: row.created_at.into(),
            attempted_at: row.attempted_at.map(DateTime),
            next_attempt_at: row.next_attempt_at.map(DateTime),
            finished_at: row.finished_at.map(DateTime),
        }
    }
}

/// The endpoints of an account.
pub(super) async fn endpoints(ctx: &Context<'_>, account: &AccountId) -> FieldResult<Vec<WebhookEndpoint>> {
    let found = services(ctx)?.webhooks.endpoints(account).await.map_err(field_error)?;
    Ok(found.into_iter().map(WebhookEndpoint).collect())
}
