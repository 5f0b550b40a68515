//! `judge`: named, stored questions. What is asked lives in `judge_version`.

use sea_orm::entity::prelude::*;

/// One Judge.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "judge")]
pub struct Model {
    /// `judge_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Whose it is.
    pub account_id: String,
    /// A person's word for it.
    pub name: String,
    /// What it is for; may be empty.
    pub description: String,
    /// Whether requests and answers are recorded in its dataset.
    pub store_content: bool,
    /// The newest of its versions, which answers.
    pub version: i32,
    /// Since when it no longer answers; null while it does.
    pub archived_at: Option<DateTimeUtc>,
    /// When it was created.
    pub created_at: DateTimeUtc,
    /// When anything of it last changed.
    pub updated_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
