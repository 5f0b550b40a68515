//! `api_key`: secret keys, stored as SHA-256 only.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_key")]
pub struct Model {
    /// `key_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The account that pays for its requests.
    pub account_id: String,
    /// The display name.
    pub name: String,
    /// Hex SHA-256 of the whole key.
    #[sea_orm(unique)]
    pub hash: String,
    /// The first characters, by which users recognise keys.
    pub hint: String,
    /// Comma-separated: `moderate`, `infer`, `manage`, `read`.
    pub scopes: String,
    /// `policy_…`: applies to requests that do not name a policy; null for none.
    pub moderation_policy_id: Option<String>,
    /// Comma-separated names of the backends that it may use beside the default model; null for all.
    pub backends: Option<String>,
    /// Requests per minute; null or 0 for no limit of its own.
    pub rate_limit_per_minute: Option<i32>,
    /// `key_…`: the key that made it, whose limits hold for it too.
    pub limited_by: Option<String>,
    pub created_at: DateTimeUtc,
    /// Last use, to the minute.
    pub last_used_at: Option<DateTimeUtc>,
    /// Rejected from this time on.
    pub expires_at: Option<DateTimeUtc>,
    /// Rejected since this time.
    pub revoked_at: Option<DateTimeUtc>,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
