//! `checkpoint`: a Judge's trained heads, and their training. The head itself is in `artefact`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "checkpoint")]
pub struct Model {
    /// `ckpt_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    pub judge_id: String,
    /// The version whose questions it is trained for: the newest when it was submitted.
    pub judge_version: i32,
    /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    pub state: String,
    /// `job_…`, which trains it and owns its hold.
    #[sea_orm(unique)]
    pub job_id: String,
    /// Milli-credits held, and charged when it succeeds.
    pub price: i64,
    /// `sample.seq` of the newest sample when it was submitted; later ones are not read.
    pub last_sample: i64,
    /// `label.seq` of the newest change of a ground truth at that time; later changes are ignored.
    pub last_label: i64,
    pub seed: i64,
    /// Whether to activate it if it is better than the live model.
    pub auto_activate: bool,
    /// The progress, 0 to 1.
    pub progress: f64,
    /// The comparison with the live model on the hold-out, JSON; null until it succeeds.
    pub metrics: Option<String>,
    /// What training tried, JSON; null until it succeeds.
    pub report: Option<String>,
    /// How it corrects the answers of servers, a JSON array; null until it succeeds.
    pub recalibrations: Option<String>,
    /// SHA-256 of its artefact; null until it succeeds.
    pub artefact: Option<String>,
    /// SHA-256 of the backbone that the artefact belongs to; null until it succeeds.
    pub backbone: Option<String>,
    /// Why it failed, for the account.
    pub error: Option<String>,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTimeUtc,
    pub started_at: Option<DateTimeUtc>,
    pub finished_at: Option<DateTimeUtc>,
    /// When it was last activated.
    pub activated_at: Option<DateTimeUtc>,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
