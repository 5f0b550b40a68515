//! `storage`: the bytes of each account's samples. Written in the same transaction that writes or deletes them.

use sea_orm::entity::prelude::*;

/// The stored bytes of one account. An account that has never stored anything has no row.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "storage")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: String,
    /// Bytes of states, instructions and answers, and 512 for each sample.
    pub bytes: i64,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
