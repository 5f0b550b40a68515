//! `user`: the users of accounts.

use sea_orm::entity::prelude::*;

/// A user. Stored as `app_user`, since `user` is a reserved word in PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "app_user")]
pub struct Model {
    /// `user_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    /// Lower-cased; unique over the deployment.
    #[sea_orm(unique)]
    pub email: String,
    /// Argon2id in PHC string form; null until a password is set.
    pub password_hash: Option<String>,
    /// `owner`, `editor` or `analyst`.
    pub role: String,
    /// True for an operator of the deployment, who sees all accounts.
    pub operator: bool,
    pub created_at: DateTimeUtc,
}

/// Relations are queried by id; none is declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
