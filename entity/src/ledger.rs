//! `ledger`: every movement of credits, append-only. Only `domain::money::credits` writes it.

use sea_orm::entity::prelude::*;

/// One movement. `seq` has no gaps within an account and `balance_after` is the running sum of `delta`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ledger")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: String,
    /// 1, 2, 3, … within the account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    /// `req_…`; unique over the deployment, so that one request moves credits once.
    #[sea_orm(unique)]
    pub request_id: String,
    /// `grant`, `charge`, `refund` or `adjustment`.
    pub kind: String,
    /// Milli-credits: negative for a charge.
    pub delta: i64,
    /// The balance including this row.
    pub balance_after: i64,
    /// The messages, pictures and decisions that were charged or refunded; 0 for grants and adjustments.
    pub items: i64,
    /// The charged object, `mod_…`, or the request that a refund reverses.
    pub reference: Option<String>,
    /// The charged route.
    pub endpoint: Option<String>,
    /// `key_…`: the API key that paid, or that submitted the job.
    pub api_key_id: Option<String>,
    /// `user_…`: the user who paid, or who submitted the job.
    pub user_id: Option<String>,
    /// `job_…`: the job whose hold paid.
    pub job_id: Option<String>,
    /// `judge_…`: the Judge that the charge is for.
    pub judge_id: Option<String>,
    /// The operator's reason, for grants and adjustments.
    pub note: Option<String>,
    /// The time of the commit.
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
