//! `session`: signed-in users, one row per browser.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "session")]
pub struct Model {
    /// `session_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub user_id: String,
    /// Hex SHA-256 of the secret in the cookie.
    #[sea_orm(unique)]
    pub hash: String,
    /// The browser's User-Agent; may be empty.
    pub user_agent: String,
    pub created_at: DateTimeUtc,
    /// Last use, to the minute.
    pub last_used_at: DateTimeUtc,
    /// Rejected from this time on.
    pub expires_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
