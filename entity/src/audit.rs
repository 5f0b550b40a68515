//! `audit`: the append-only audit log. Never contains content or secrets.

use sea_orm::entity::prelude::*;

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit")]
pub struct Model {
    /// The order of all entries.
    #[sea_orm(primary_key)]
    pub seq: i64,
    pub account_id: String,
    /// `user_…`, `key_…` or `operator`.
    pub actor: String,
    /// Such as `judge.update`.
    pub action: String,
    /// The object of the action, such as `judge_…`; may be empty.
    pub target: String,
    /// A JSON object.
    pub detail: String,
    pub created_at: DateTimeUtc,
}

/// None: relations are queried by key.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
