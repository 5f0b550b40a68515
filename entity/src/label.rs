//! `label`: the history of ground truth, append-only; undo reads it.

use sea_orm::entity::prelude::*;

/// A change of one key of one sample.
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
    /// The ground truth before; null when there was none.
    pub previous: Option<String>,
    /// The ground truth after; null when it was cleared.
    pub value: Option<String>,
    /// `user_…` or `key_…`.
    pub actor: String,
    /// What the actor wrote about the change; null for nothing.
    pub note: Option<String>,
    pub created_at: DateTimeUtc,
}

/// Relations are queried by key; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
