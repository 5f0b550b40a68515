//! `account`: who owns keys and credits. `balance`, `held` and `ledger_seq` belong to `domain::credits` alone.

use sea_orm::entity::prelude::*;

/// One customer of the service.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account")]
pub struct Model {
    /// `acc_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// A person's word for it; the e-mail it was created with.
    pub name: String,
    /// Milli-credits owned, held ones included. Never negative.
    pub balance: i64,
    /// Milli-credits set aside for work under way. Between 0 and `balance`.
    pub held: i64,
    /// `seq` of the newest ledger row.
    pub ledger_seq: i64,
    /// Requests a minute for each of its keys; null inherits the deployment's, 0 is no limit.
    pub rate_limit_per_minute: Option<i32>,
    /// When it was created.
    pub created_at: DateTimeUtc,
    /// Since when nothing is left of it but what its ledger comes to; no credits move any more.
    pub erased_at: Option<DateTimeUtc>,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
