//! `audit`: who changed what, append-only. Never content, never a secret.

use sea_orm::entity::prelude::*;

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit")]
pub struct Model {
    /// Its place among all changes.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// Whose it is.
    pub account_id: String,
    /// Who: `user_…`, `key_…` or `operator`.
    pub actor: String,
    /// What, such as `judge.update`.
    pub action: String,
    /// To what, such as `judge_…`; may be empty.
    pub target: String,
    /// More of it, a JSON object.
    pub detail: String,
    /// When.
    pub created_at: DateTimeUtc,
}

/// Relations are queried by key; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
