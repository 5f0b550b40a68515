//! `audit`: the audit log. Append-only, except for the figures of a change that is still in progress. Contains neither
//! content nor secrets.

use sea_orm::entity::prelude::*;

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit")]
pub struct Model {
    /// Position in the log.
    #[sea_orm(primary_key)]
    pub seq: i64,
    pub account_id: String,
    /// `user_…`, `key_…` or `operator`.
    pub actor: String,
    /// The action, such as `judge.update`.
    pub action: String,
    /// The id of the changed object, such as `judge_…`; may be empty.
    pub target: String,
    /// Details, a JSON object.
    pub detail: String,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use keys.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
