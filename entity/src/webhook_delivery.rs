//! `webhook_delivery`: events that were or will be sent to webhook endpoints. Old ones are pruned.

use sea_orm::entity::prelude::*;

/// The delivery of an event to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_delivery")]
pub struct Model {
    /// `delivery_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    pub endpoint_id: String,
    /// `event_…`: the same for all endpoints of the event.
    pub event_id: String,
    /// Such as `batch.completed`.
    pub event_type: String,
    /// The body, as it is signed and sent.
    pub payload: String,
    /// The job that sends it.
    pub job_id: String,
    /// `queued`, `delivered` or `failed`.
    pub state: String,
    /// Attempted requests.
    pub attempts: i32,
    /// The HTTP status of the last response.
    pub status: Option<i32>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    pub created_at: DateTimeUtc,
    pub attempted_at: Option<DateTimeUtc>,
    /// Set while it is queued after a failed attempt.
    pub next_attempt_at: Option<DateTimeUtc>,
    pub finished_at: Option<DateTimeUtc>,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
