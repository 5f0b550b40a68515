//! `checkpoint_event`: events during the training of a Checkpoint, append-only.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "checkpoint_event")]
pub struct Model {
    /// The order of the events.
    #[sea_orm(primary_key)]
    pub seq: i64,
    pub checkpoint_id: String,
    /// `info` or `warning`.
    pub level: String,
    pub message: String,
    /// A JSON object.
    pub numbers: String,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
