//! `password_reset`: links that set a new password.

use sea_orm::entity::prelude::*;

/// A link, valid once.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "password_reset")]
pub struct Model {
    /// Hex SHA-256 of its token.
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: String,
    /// Whose password it sets.
    pub user_id: String,
    pub expires_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
