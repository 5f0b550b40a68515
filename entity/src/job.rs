//! `job`: background jobs. This table decides what runs; a queue only delivers ids. Only `domain::background::job`
//! writes it.

use sea_orm::entity::prelude::*;

/// A job. Finished jobs are pruned later.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "job")]
pub struct Model {
    /// `job_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The name of its handler.
    pub kind: String,
    /// Null for the deployment's own jobs.
    pub account_id: Option<String>,
    /// The id of what the job works for, such as `batch_…`.
    pub subject: String,
    /// The handler's arguments.
    pub payload: Json,
    /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    pub state: String,
    /// When the job may run, in milliseconds since 1970 by the database's clock.
    pub due_at: i64,
    /// When its id was last given to a queue, by the same clock.
    pub delivered_at: Option<i64>,
    /// How often it was started.
    pub attempts: i32,
    pub max_attempts: i32,
    /// The token of the run that owns it.
    pub worker: Option<String>,
    /// While it runs: when another worker may take it over, by the same clock.
    pub lease_until: Option<i64>,
    pub cancel_requested: bool,
    /// The cause of the last failure.
    pub error: Option<String>,
    pub created_at: DateTimeUtc,
    pub started_at: Option<DateTimeUtc>,
    pub finished_at: Option<DateTimeUtc>,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
