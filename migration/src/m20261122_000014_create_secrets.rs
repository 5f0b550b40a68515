//! Random keys that the processes of a deployment share.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates the table `secret`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table(Alias::new("secret"))
            .col(text(Alias::new("name")).primary_key())
            .col(text(Alias::new("value")))
            .col(timestamp_with_time_zone(Alias::new("created_at")))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Alias::new("secret")).to_owned()).await
    }
}
