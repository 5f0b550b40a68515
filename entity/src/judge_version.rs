//! `judge_version`: what a Judge asks, one immutable row for each change.

use sea_orm::entity::prelude::*;

/// One version of a Judge.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "judge_version")]
pub struct Model {
    /// Whose version.
    #[sea_orm(primary_key, auto_increment = false)]
    pub judge_id: String,
    /// 1, 2, 3, …
    #[sea_orm(primary_key, auto_increment = false)]
    pub version: i32,
    /// The instructions as they were given, JSON.
    pub instructions: String,
    /// The parameters as they were given, a JSON object.
    pub parameters: String,
    /// Who made it: `user_…` or `key_…`.
    pub created_by: String,
    /// When.
    pub created_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
