//! `idempotency`: requests sent under an `Idempotency-Key`, and their answers for 24 hours.

use sea_orm::entity::prelude::*;

/// An idempotency key. The answer is the one place where content is stored without `storeContent`.
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
    /// The request id of its charge, whichever replica runs it.
    pub request_id: String,
    /// End of the lease of the replica that runs it, by the database's clock, in milliseconds since 1970.
    pub lease_until: i64,
    /// The successful answer's JSON; null while the request runs.
    pub answer: Option<String>,
    /// True once the answer was replayed. Its charge is not refunded then.
    pub replayed: bool,
    /// The time of the first request with the key.
    pub created_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
