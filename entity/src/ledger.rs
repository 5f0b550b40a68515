//! `ledger`: all movements of credits, append-only. Only `domain::credits` writes it.

use sea_orm::entity::prelude::*;

/// A ledger entry. `seq` has no gaps within an account, and `balance_after` is the running sum of `delta`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ledger")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: String,
    /// 1, 2, 3, … within the account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    /// `req_…`; unique in the deployment, so that a request is charged once.
    #[sea_orm(unique)]
    pub request_id: String,
    /// `grant`, `charge`, `refund` or `adjustment`.
    pub kind: String,
    /// Milli-credits; negative for a charge.
    pub delta: i64,
    /// The balance after this entry.
    pub balance_after: i64,
    /// The object of the charge, such as `mod_…`, or the request that a refund reverses.
    pub reference: Option<String>,
    /// The route that was charged for.
    pub endpoint: Option<String>,
    /// The API key that was used.
    pub api_key_id: Option<String>,
    /// The operator's reason for a grant or an adjustment.
    pub note: Option<String>,
    pub created_at: DateTimeUtc,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
