//! `session`: sessions of users, one row for each browser.

use sea_orm::entity::prelude::*;

/// A session.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "session")]
pub struct Model {
    /// `session_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub user_id: String,
    /// The SHA-256 of the secret in the cookie, in hexadecimal.
    #[sea_orm(unique)]
    pub hash: String,
    /// May be empty.
    pub user_agent: String,
    pub created_at: DateTimeUtc,
    /// To the minute.
    pub last_used_at: DateTimeUtc,
    /// The session is refused from this time on.
    pub expires_at: DateTimeUtc,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
