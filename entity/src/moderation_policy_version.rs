//! `moderation_policy_version`: the rules of a policy, one immutable row per change.

use sea_orm::entity::prelude::*;

/// A version of a policy.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "moderation_policy_version")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub policy_id: String,
    /// 1, 2, 3, …
    #[sea_orm(primary_key, auto_increment = false)]
    pub version: i32,
    /// The rules, a JSON object.
    pub rules: String,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
