//! `webhook_endpoint`: the URLs that an account's events are sent to, with the secrets that sign them.

use sea_orm::entity::prelude::*;

/// A webhook endpoint.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_endpoint")]
pub struct Model {
    /// `webhook_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    pub url: String,
    /// May be empty.
    pub description: String,
    /// Event types, separated by commas; empty for all.
    pub event_types: String,
    /// `whsec_…`, in plain text: it signs each delivery.
    pub secret: String,
    /// The secret before the last rotation.
    pub previous_secret: Option<String>,
    /// Until when the previous secret also signs.
    pub previous_secret_until: Option<DateTimeUtc>,
    pub enabled: bool,
    /// Why Gavel disabled it.
    pub disabled_reason: Option<String>,
    /// The first failed attempt since the last success.
    pub failing_since: Option<DateTimeUtc>,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
