//! `hold`: credits set aside while work that costs real money is in progress. Only `domain::money::credits` writes it;
//! every row is part of `account.held`.

use sea_orm::entity::prelude::*;

/// An open hold, deleted once it is captured, released or expired.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "hold")]
pub struct Model {
    /// `hold_…`: the holder; a request that another replica takes over gets a new hold.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    /// `req_…` or `job_…`: the request or job that holds the credits.
    #[sea_orm(unique)]
    pub request_id: String,
    /// Milli-credits.
    pub amount: i64,
    /// The purpose, for operators.
    pub purpose: String,
    /// Milliseconds since 1970 by the database's clock. After that, any replica may release it. A job's hold never
    /// expires: it has the largest value.
    pub expires_at: i64,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
