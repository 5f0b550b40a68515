//! `idempotency`: requests sent under an `Idempotency-Key`, and their answers for 24 hours.

use sea_orm::entity::prelude::*;

/// One key a client chose. The answer is the one place where content is kept without `storeContent`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency")]
pub struct Model {
    /// Whose key it is.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: String,
    /// The header's value.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// Hex SHA-256 of the route and the parsed request.
    pub fingerprint: String,
    /// The request id its charge carries, whoever runs it.
    pub request_id: String,
    /// Until when the one who runs it is believed alive, by the database's clock, in milliseconds since 1970.
    pub lease_until: i64,
    /// The successful answer's JSON; null while it runs.
    pub answer: Option<String>,
    /// Whether the answer was given again. What it cost is not refunded then.
    pub replayed: bool,
    /// When it was first seen.
    pub created_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
