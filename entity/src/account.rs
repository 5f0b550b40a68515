//! `account`: the owner of keys and credits. Only `domain::money::credits` writes `balance`, `held` and `ledger_seq`.

use sea_orm::entity::prelude::*;

/// A customer of the service.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account")]
pub struct Model {
    /// `acc_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The display name; initially the e-mail it was created with.
    pub name: String,
    /// Milli-credits owned, including held ones. Never negative.
    pub balance: i64,
    /// Milli-credits held for work in progress. Between 0 and `balance`.
    pub held: i64,
    /// `seq` of the newest ledger row.
    pub ledger_seq: i64,
    /// Requests per minute of all its keys together; null inherits the deployment's limit, 0 is no limit.
    pub rate_limit_per_minute: Option<i32>,
    /// Comma-separated names of the backends that it may use beside the default model; null for all.
    pub backends: Option<String>,
    /// Whether its owners were told that its credits run low, since it last had enough.
    pub low_balance_told: bool,
    /// When its owners last got a weekly summary.
    pub summary_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    /// The time of its erasure: only the ledger's totals remain, and credits no longer move.
    pub erased_at: Option<DateTimeUtc>,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
