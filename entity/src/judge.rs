//! `judge`: named, stored questions, and the moderation logs of accounts. The questions are in `judge_version`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "judge")]
pub struct Model {
    /// `judge_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    /// `decision`, or `moderation` for the account's moderation log.
    pub kind: String,
    /// The display name.
    pub name: String,
    /// May be empty.
    pub description: String,
    /// Whether requests and answers are recorded in its dataset.
    pub store_content: bool,
    /// Days after which its samples are deleted; null for never.
    pub retention_days: Option<i32>,
    /// The newest version, which answers.
    pub version: i32,
    /// `ckpt_…` of the Checkpoint that answers; null for the base model.
    pub active_checkpoint_id: Option<String>,
    /// Set while the Judge is archived and does not answer.
    pub archived_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    /// The time of the last change of any field.
    pub updated_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
