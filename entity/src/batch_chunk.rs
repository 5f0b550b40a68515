//! `batch_chunk`: items of a bulk batch that are run, charged and stored together.

use sea_orm::entity::prelude::*;

/// A chunk.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "batch_chunk")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_id: String,
    /// 0, 1, 2, … in the order of submission.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i32,
    /// The items as JSON Lines; empty once there are results.
    pub items: String,
    /// The results as JSON Lines, in the order of the items; null before the chunk has run.
    pub results: Option<String>,
    /// The number of items.
    pub total: i32,
    /// Items that succeeded.
    pub completed: i32,
    /// Items that failed.
    pub failed: i32,
    /// Bytes of the items' names in JSON.
    pub id_bytes: i32,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
