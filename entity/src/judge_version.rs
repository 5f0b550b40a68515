//! `judge_version`: the questions of a Judge, one immutable row per change.

use sea_orm::entity::prelude::*;

/// A version of a Judge.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "judge_version")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub judge_id: String,
    /// 1, 2, 3, …
    #[sea_orm(primary_key, auto_increment = false)]
    pub version: i32,
    /// The instructions as submitted, JSON.
    pub instructions: String,
    /// The parameters as submitted, a JSON object.
    pub parameters: String,
    /// The JSON Schema of the states, as submitted.
    pub state_schema: Option<String>,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
