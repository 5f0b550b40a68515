//! `worker`: the processes that run jobs, as they report themselves.

use sea_orm::entity::prelude::*;

/// A worker. It deletes its row when it ends.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "worker")]
pub struct Model {
    /// `worker_…`; new for each process.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The host and the process, such as `gavel-1:4711`.
    pub name: String,
    pub version: String,
    pub started_at: DateTimeUtc,
    /// Its last report, in milliseconds since 1970 by the database's clock.
    pub seen_at: i64,
    /// The ids of the jobs that it ran then, separated by spaces.
    pub jobs: String,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
