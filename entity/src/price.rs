//! `price`: the price of each operation. Read for every request, so that a change does not require a restart.

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

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
