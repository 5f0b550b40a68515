//! `idempotency`: requests sent with an `Idempotency-Key`, and their responses for 24 hours.

use sea_orm::entity::prelude::*;

/// An idempotency key. The response is the only place where content is stored without `storeContent`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: String,
    /// The header's value.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// Hex SHA-256 of the route and the parsed request.
    pub fingerprint: String,
    /// The request id of its charge, regardless of the replica that runs it.
    pub request_id: String,
    /// When the lease of the replica that runs it ends, in milliseconds since 1970 by the database's clock.
    pub lease_until: i64,
    /// The JSON of the successful response; null while the request runs.
    pub answer: Option<String>,
    /// Whether the response was replayed. If so, its charge is not refunded.
    pub replayed: bool,
    /// The time of the first request with the key.
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
