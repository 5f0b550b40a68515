//! Stores with each version of a Judge what the states of its requests must look like.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `judge_version.state_schema`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum JudgeVersion {
    Table,
    StateSchema,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = text_null(JudgeVersion::StateSchema);
        manager.alter_table(Table::alter().table(JudgeVersion::Table).add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .alter_table(
                Table::alter().table(JudgeVersion::Table).drop_column(JudgeVersion::StateSchema).to_owned(),
            )
            .await
    }
}
