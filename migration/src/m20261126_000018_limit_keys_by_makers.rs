//! Records under whose rate limit the keys are that a key made.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `api_key.limited_by`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum ApiKey {
    Table,
    LimitedBy,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = text_null(ApiKey::LimitedBy);
        manager.alter_table(Table::alter().table(ApiKey::Table).add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .alter_table(Table::alter().table(ApiKey::Table).drop_column(ApiKey::LimitedBy).to_owned())
            .await
    }
}
