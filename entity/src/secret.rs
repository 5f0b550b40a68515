//! `secret`: random keys of the deployment, shared by its processes.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "secret")]
pub struct Model {
    /// Its purpose: `channel_memory`, `proof_of_work` or `unsubscribe`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// 32 bytes in base64.
    pub value: String,
    pub created_at: DateTimeUtc,
}

/// No relations are declared: queries use ids.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
