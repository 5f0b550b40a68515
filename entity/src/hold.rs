//! `hold`: credits reserved while work that costs real money is under way. Only `domain::credits` writes it. Every row
//! is included in `account.held`.

use sea_orm::entity::prelude::*;

/// An open hold. Deleted when it is captured, released or expired.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "hold")]
pub struct Model {
    /// `hold_…`. A request that another process takes over gets a new hold.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    /// `req_…`: the request id of the charge.
    #[sea_orm(unique)]
    pub request_id: String,
    /// Milli-credits.
    pub amount: i64,
    /// The purpose, for operators.
    pub purpose: String,
    /// Milliseconds since 1970 by the database's clock. Afterwards any process may release it.
    pub expires_at: i64,
    pub created_at: DateTimeUtc,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
