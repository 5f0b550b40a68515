//! Records the Judge of a charge in the ledger.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `ledger.judge_id`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Ledger {
    Table,
    JudgeId,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = text_null(Ledger::JudgeId);
        manager.alter_table(Table::alter().table(Ledger::Table).add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.alter_table(Table::alter().table(Ledger::Table).drop_column(Ledger::JudgeId).to_owned()).await
    }
}
