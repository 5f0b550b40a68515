//! `api_key`: secret keys, as their SHA-256 only.

use sea_orm::entity::prelude::*;

/// One key of an account.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_key")]
pub struct Model {
    /// `key_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The account it spends from.
    pub account_id: String,
    /// A person's word for it.
    pub name: String,
    /// Hex SHA-256 of the whole key.
    #[sea_orm(unique)]
    pub hash: String,
    /// The first characters, so that a person can tell keys apart.
    pub hint: String,
    /// Comma-separated: `moderate`, `infer`, `manage`, `read`.
    pub scopes: String,
    /// Requests a minute; null inherits the account's, 0 is no limit.
    pub rate_limit_per_minute: Option<i32>,
    /// Refused from this moment on.
    pub expires_at: Option<DateTimeUtc>,
    /// Refused since this moment.
    pub revoked_at: Option<DateTimeUtc>,
    /// Last use, to the minute.
    pub last_used_at: Option<DateTimeUtc>,
    /// When it was created.
    pub created_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
