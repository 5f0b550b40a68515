//! `artefact`: the results of training, by hash. Written once, never changed, and shared by all Checkpoints that refer
//! to it.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "artefact")]
pub struct Model {
    /// Hex SHA-256 of the bytes.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sha256: String,
    #[sea_orm(column_type = "Blob")]
    pub bytes: Vec<u8>,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
