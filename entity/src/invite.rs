//! `invite`: people who may join an account.

use sea_orm::entity::prelude::*;

/// One invitation; gone once it is accepted or withdrawn.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invite")]
pub struct Model {
    /// `invite_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The account they may join.
    pub account_id: String,
    /// Whom it is for; lower-cased.
    pub email: String,
    /// As what: `owner`, `editor` or `analyst`.
    pub role: String,
    /// Hex SHA-256 of its secret.
    #[sea_orm(unique)]
    pub hash: String,
    /// Who invited them: `user_…`.
    pub created_by: String,
    /// When.
    pub created_at: DateTimeUtc,
    /// Refused from this moment on.
    pub expires_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
