//! `artefact`: what training made, by its hash. Written once, never changed, and shared by all that name it.

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

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
