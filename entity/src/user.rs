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
    /// In its normal form; unique within the deployment.
    #[sea_orm(unique)]
    pub email: String,
    /// Argon2id in PHC string form; null until a password is set.
    pub password_hash: Option<String>,
    /// `owner`, `editor`, `analyst` or `moderator`.
    pub role: String,
    /// Whether this is an operator of the deployment, who sees all accounts.
    pub operator: bool,
    /// Whether the user wants weekly summaries.
    pub weekly_summary: bool,
    /// Whether the user wants to be told of low balances.
    pub low_balance: bool,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
