//! `session`: people who are signed in, one row for each browser.

use sea_orm::entity::prelude::*;

/// One session.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "session")]
pub struct Model {
    /// `session_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Who.
    pub user_id: String,
    /// Hex SHA-256 of the secret in the cookie.
    #[sea_orm(unique)]
    pub hash: String,
    /// What the browser calls itself; may be empty.
    pub user_agent: String,
    /// When they signed in.
    pub created_at: DateTimeUtc,
    /// Last use, to the minute.
    pub last_used_at: DateTimeUtc,
    /// Refused from this moment on.
    pub expires_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
