//! `invite`: invitations to join an account.

use sea_orm::entity::prelude::*;

/// An invitation. Deleted when it is accepted or withdrawn.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invite")]
pub struct Model {
    /// `invite_…`
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub account_id: String,
    /// Lower-cased.
    pub email: String,
    /// `owner`, `editor` or `analyst`.
    pub role: String,
    /// The SHA-256 of the secret, in hexadecimal.
    #[sea_orm(unique)]
    pub hash: String,
    /// `user_…`
    pub created_by: String,
    pub created_at: DateTimeUtc,
    /// The invitation is refused from this time on.
    pub expires_at: DateTimeUtc,
}

/// None: relations are queried by id.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
