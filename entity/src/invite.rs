//! `invite`: invitations to join an account.

use sea_orm::entity::prelude::*;

/// An invitation, deleted once it is accepted or withdrawn.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invite")]
pub struct Model {
    /// `invite_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    /// The invited address, in its normal form.
    pub email: String,
    /// `owner`, `editor`, `analyst` or `moderator`.
    pub role: String,
    /// Hex SHA-256 of the secret.
    #[sea_orm(unique)]
    pub hash: String,
    /// `user_…`: the inviting user.
    pub created_by: String,
    pub created_at: DateTimeUtc,
    /// Rejected from this time on.
    pub expires_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
