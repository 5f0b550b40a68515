//! `idempotency`: requests with an `Idempotency-Key`, and their responses for 24 hours.

use sea_orm::entity::prelude::*;

/// A client's idempotency key. The response is the only content that is stored without `storeContent`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: String,
    /// The value of the header.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// The SHA-256 of the route and the parsed request, in hexadecimal.
    pub fingerprint: String,
    /// The request id of the charge, whichever process runs the request.
    pub request_id: String,
    /// The lease of the process that runs the request: milliseconds since 1970 by the database's clock.
    pub lease_until: i64,
    /// The successful response as JSON; null while the request runs.
    pub answer: Option<String>,
    /// Whether the response was replayed. Its charge is not refunded then.
    pub replayed: bool,
    pub created_at: DateTimeUtc,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
