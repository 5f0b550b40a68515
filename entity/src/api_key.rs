//! `api_key`: API keys, stored as their SHA-256 only.

use sea_orm::entity::prelude::*;

/// An API key.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_key")]
pub struct Model {
    /// `key_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The account that pays.
    pub account_id: String,
    pub name: String,
    /// The SHA-256 of the whole key, in hexadecimal.
    #[sea_orm(unique)]
    pub hash: String,
    /// The first characters, by which a person can recognise a key.
    pub hint: String,
    /// Comma-separated: `moderate`, `infer`, `manage`, `read`.
    pub scopes: String,
    /// Requests per minute; null for the account's limit, 0 for none.
    pub rate_limit_per_minute: Option<i32>,
    /// The key is refused from this time on.
    pub expires_at: Option<DateTimeUtc>,
    /// The key is refused since this time.
    pub revoked_at: Option<DateTimeUtc>,
    /// To the minute.
    pub last_used_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
