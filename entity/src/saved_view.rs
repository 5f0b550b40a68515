//! `saved_view`: named filters of the moderation queue, which users keep.

use sea_orm::entity::prelude::*;

/// A view. Its name is unique among those of the user.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "saved_view")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// The filters, a JSON object of the dashboard.
    pub filter: String,
    /// The time of the last change.
    pub saved_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
