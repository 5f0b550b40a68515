//! `ledger`: every movement of credits, append-only. Only `domain::credits` writes it.

use sea_orm::entity::prelude::*;

/// One movement. `seq` has no gaps within an account and `balance_after` is the running sum of `delta`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ledger")]
pub struct Model {
    /// Whose balance moved.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: String,
    /// 1, 2, 3, … within the account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    /// `req_…`; unique over the deployment, so that one request moves money once.
    #[sea_orm(unique)]
    pub request_id: String,
    /// `grant`, `charge`, `refund` or `adjustment`.
    pub kind: String,
    /// Milli-credits: negative for a charge.
    pub delta: i64,
    /// The balance once this row is counted.
    pub balance_after: i64,
    /// What it was for: `mod_…`, or the request a refund undoes.
    pub reference: Option<String>,
    /// The route charged for.
    pub endpoint: Option<String>,
    /// `key_…`: the API key that spent it.
    pub api_key_id: Option<String>,
    /// `user_…`: the person who spent it.
    pub user_id: Option<String>,
    /// `job_…`: the job that spent it.
    pub job_id: Option<String>,
    /// A person's reason, for grants and adjustments.
    pub note: Option<String>,
    /// When it was committed.
    pub created_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
