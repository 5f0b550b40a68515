//! `hold`: credits set aside while work that costs real money is under way. Only `domain::credits` writes it; a row that
//! is there counts in `account.held`.

use sea_orm::entity::prelude::*;

/// One open hold. Gone once it is captured, released or expired.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "hold")]
pub struct Model {
    /// `hold_…`: whoever holds it; a request that is taken over is held for anew.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Whose credits.
    pub account_id: String,
    /// `req_…` or `job_…`: the request or the job that it is for.
    #[sea_orm(unique)]
    pub request_id: String,
    /// Milli-credits.
    pub amount: i64,
    /// What they are held for, for operators.
    pub purpose: String,
    /// Milliseconds since 1970 by the database's clock. Past that, anybody may give it back. A job's never expires: it has
    /// the largest value.
    pub expires_at: i64,
    /// When it was made.
    pub created_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
