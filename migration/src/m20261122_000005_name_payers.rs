//! Who spends credits other than by an API key: a person who is signed in, or a job.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `ledger.user_id` and `ledger.job_id`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Ledger {
    Table,
    UserId,
    JobId,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite alters one column at a time.
        for column in [text_null(Ledger::UserId), text_null(Ledger::JobId)] {
            manager.alter_table(Table::alter().table(Ledger::Table).add_column(column).to_owned()).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in [Ledger::UserId, Ledger::JobId] {
            manager.alter_table(Table::alter().table(Ledger::Table).drop_column(column).to_owned()).await?;
        }
        Ok(())
    }
}
