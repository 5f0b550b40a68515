//! `price`: the prices of operations. Changes apply without a restart.

use sea_orm::entity::prelude::*;

/// The price of an operation.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "price")]
pub struct Model {
    /// `text`, `image`, `inference` or `checkpoint`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub operation: String,
    /// In milli-credits.
    pub amount: i64,
    pub updated_at: DateTimeUtc,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
