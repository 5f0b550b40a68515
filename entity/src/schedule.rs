//! `schedule`: when each periodic task is due next, so that only one worker at a time runs it.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "schedule")]
pub struct Model {
    /// The name of the task.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Milliseconds since 1970 by the database's clock.
    pub due_at: i64,
}

/// No relations are declared.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
