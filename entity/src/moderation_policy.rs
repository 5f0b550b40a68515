//! `moderation_policy`: named rules of an account. The rules are in `moderation_policy_version`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "moderation_policy")]
pub struct Model {
    /// `policy_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    /// The name that requests use; unique within the account.
    pub name: String,
    /// May be empty.
    pub description: String,
    /// The version that applies.
    pub version: i32,
    /// The version that decides beside it and is only recorded; null for none.
    pub shadow_version: Option<i32>,
    /// Set while the policy is archived and cannot be used.
    pub archived_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    /// The time of the last change of any field.
    pub updated_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
