//! `label`: all changes of ground truths, append-only, so that they can be undone.

use sea_orm::entity::prelude::*;

/// A change of the ground truth of one key of a sample.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "label")]
pub struct Model {
    /// The order of all changes.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// `change_…`: groups the changes that are undone together.
    pub change_id: String,
    pub account_id: String,
    pub judge_id: String,
    /// The `seq` of the sample.
    pub sample_seq: i64,
    /// The instruction's key.
    pub key: String,
    /// The ground truth before; null for none.
    pub previous: Option<String>,
    /// The ground truth after; null for none.
    pub value: Option<String>,
    /// `user_…` or `key_…`.
    pub actor: String,
    pub created_at: DateTimeUtc,
}

/// None: relations are queried by key.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
