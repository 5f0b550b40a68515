//! `price`: the price of each operation. Read on every request: a change needs no restart.

use sea_orm::entity::prelude::*;

/// The price of one operation.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "price")]
pub struct Model {
    /// `text`, `image`, `inference` or `checkpoint`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub operation: String,
    /// Milli-credits per operation.
    pub amount: i64,
    pub updated_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
