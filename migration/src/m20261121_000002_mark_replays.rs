//! Marks stored responses that were replayed: their charges are not refunded.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `idempotency.replayed`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Idempotency {
    Table,
    Replayed,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut table = Table::alter();
        table.table(Idempotency::Table).add_column(boolean(Idempotency::Replayed).default(false));
        manager.alter_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut table = Table::alter();
        table.table(Idempotency::Table).drop_column(Idempotency::Replayed);
        manager.alter_table(table).await
    }
}
