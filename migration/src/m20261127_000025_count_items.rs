//! Items of charges.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `ledger.items`: one for each charge and refund so far, none for grants and adjustments.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Ledger {
    Table,
    Items,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let items = big_integer(Ledger::Items).default(1).take();
        manager.alter_table(Table::alter().table(Ledger::Table).add_column(items).to_owned()).await?;
        let given = "UPDATE ledger SET items = 0 WHERE kind IN ('grant', 'adjustment')";
        manager.get_connection().execute_unprepared(given).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.alter_table(Table::alter().table(Ledger::Table).drop_column(Ledger::Items).to_owned()).await
    }
}
