//! `judge_version`: the questions of Judges, an immutable row for each change.

use sea_orm::entity::prelude::*;

/// A version of a Judge.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "judge_version")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub judge_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub version: i32,
    /// The instructions as they were given, as JSON.
    pub instructions: String,
    /// The parameters as they were given, as a JSON object.
    pub parameters: String,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTimeUtc,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
