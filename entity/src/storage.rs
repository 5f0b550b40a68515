//! `storage`: the bytes that the samples of each account take. Written in the transaction that writes or deletes them.

use sea_orm::entity::prelude::*;

/// What one account has stored. An account that never stored anything has no row.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "storage")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: String,
    /// Bytes of states, instructions and answers, and 512 for each sample.
    pub bytes: i64,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
