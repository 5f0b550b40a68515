//! `account`: a customer, who owns keys and credits. Only `domain::credits` writes `balance`, `held` and `ledger_seq`.

use sea_orm::entity::prelude::*;

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account")]
pub struct Model {
    /// `acc_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The e-mail address that it was created with.
    pub name: String,
    /// Milli-credits, held ones included. Never negative.
    pub balance: i64,
    /// Milli-credits reserved by open holds. From 0 to `balance`.
    pub held: i64,
    /// The `seq` of the newest ledger row.
    pub ledger_seq: i64,
    /// Requests per minute for each key; null for the deployment's limit, 0 for none.
    pub rate_limit_per_minute: Option<i32>,
    pub created_at: DateTimeUtc,
    /// When the account was erased. Only its ledger remains, and no credits move any more.
    pub erased_at: Option<DateTimeUtc>,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
