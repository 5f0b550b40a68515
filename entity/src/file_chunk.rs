//! `file_chunk`: the bytes of uploaded files.

use sea_orm::entity::prelude::*;

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "file_chunk")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub file_id: String,
    /// 0, 1, 2, … in the order of the bytes.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i32,
    #[sea_orm(column_type = "Blob")]
    pub bytes: Vec<u8>,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
