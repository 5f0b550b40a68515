//! `label`: the history of ground truths, append-only. Undo reads it.

use sea_orm::entity::prelude::*;

/// A change of the ground truth for one key of one sample.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "label")]
pub struct Model {
    /// Position in the history.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// `change_…`: rows with the same id were changed together and are undone together.
    pub change_id: String,
    pub account_id: String,
    pub judge_id: String,
    /// The `seq` of the sample.
    pub sample_seq: i64,
    /// The question's key.
    pub key: String,
    /// The previous ground truth; null if there was none.
    pub previous: Option<String>,
    /// The new ground truth; null if it was cleared.
    pub value: Option<String>,
    /// `user_…` or `key_…`.
    pub actor: String,
    /// The actor's note about the change; null for none.
    pub note: Option<String>,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use keys.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
