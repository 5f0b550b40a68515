//! `evaluation`: a Judge's version, or a Checkpoint, run over labelled samples. Its answers are in `evaluation_answer`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "evaluation")]
pub struct Model {
    /// `eval_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    pub judge_id: String,
    /// The version whose questions are asked.
    pub judge_version: i32,
    /// `ckpt_…` of the Checkpoint that answers; null for the base model or a backend.
    pub checkpoint_id: Option<String>,
    /// `NAME` or `NAME/model` of the backend that answers; null for the model in process.
    pub backend: Option<String>,
    /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    pub state: String,
    /// `job_…`, which runs it and owns its hold.
    #[sea_orm(unique)]
    pub job_id: String,
    /// Milli-credits per sample.
    pub price: i64,
    /// The number of samples when it was started.
    pub samples: i64,
    /// Samples that were answered and charged.
    pub done: i64,
    /// `sample.seq` of the last answered sample.
    pub last_done: i64,
    /// `sample.seq` of the newest sample when it was started; later ones are not read.
    pub last_sample: i64,
    /// `label.seq` of the newest change of a ground truth at that time; later changes are ignored.
    pub last_label: i64,
    /// Which samples, JSON.
    pub filter: String,
    /// `unseen`, `held_out`, `new` or `all`: which samples, by what the Checkpoint was trained on.
    pub scope: String,
    /// Of the samples that the Checkpoint was not trained on, JSON; null until it succeeds.
    pub metrics: Option<String>,
    /// Of the samples that it was trained on, JSON; null until it succeeds.
    pub trained_metrics: Option<String>,
    /// Why it failed, for the account.
    pub error: Option<String>,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTimeUtc,
    pub started_at: Option<DateTimeUtc>,
    pub finished_at: Option<DateTimeUtc>,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
