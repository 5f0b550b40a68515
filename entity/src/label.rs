//! `label`: every change of a ground truth, append-only: the audit trail that lets it be undone.

use sea_orm::entity::prelude::*;

/// One change of one key of one sample.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "label")]
pub struct Model {
    /// Its place among all changes.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// `change_…`: what was changed together, and is undone together.
    pub change_id: String,
    /// Whose it is.
    pub account_id: String,
    /// The Judge.
    pub judge_id: String,
    /// The sample, by its `seq`.
    pub sample_seq: i64,
    /// The instruction's key.
    pub key: String,
    /// The ground truth before; null for none.
    pub previous: Option<String>,
    /// The ground truth since; null for none.
    pub value: Option<String>,
    /// Who: `user_…` or `key_…`.
    pub actor: String,
    /// When.
    pub created_at: DateTimeUtc,
}

/// Relations are queried by key; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
