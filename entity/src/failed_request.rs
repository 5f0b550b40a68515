//! `failed_request`: requests that were refused or failed; no content.

use sea_orm::entity::prelude::*;

/// A request.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "failed_request")]
pub struct Model {
    /// Position among all; the order of lists.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// Null when nobody is known to have sent it.
    pub account_id: Option<String>,
    /// `req_…`
    pub request_id: String,
    /// `key_…` or `user_…`.
    pub actor: Option<String>,
    pub method: String,
    /// The path with its parameters' names.
    pub route: String,
    /// The HTTP status.
    pub status: i32,
    /// The error's code.
    pub code: String,
    pub message: String,
    pub latency_ms: f64,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
