//! `judge`: Judges, which are named, stored questions. The questions are in `judge_version`.

use sea_orm::entity::prelude::*;

/// A Judge.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "judge")]
pub struct Model {
    /// `judge_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    pub name: String,
    /// May be empty.
    pub description: String,
    /// Whether requests and answers are stored in its dataset.
    pub store_content: bool,
    /// The current version.
    pub version: i32,
    /// When it was archived; null while it answers.
    pub archived_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
