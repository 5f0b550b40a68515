//! Records which backends API keys and accounts may use, and which one an evaluation asks.

use sea_orm_migration::{prelude::*, schema::*};

/// Adds `account.backends`, `api_key.backends` and `evaluation.backend`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Account {
    Table,
    Backends,
}

#[derive(DeriveIden)]
enum ApiKey {
    Table,
    Backends,
}

#[derive(DeriveIden)]
enum Evaluation {
    Table,
    Backend,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let of_accounts = text_null(Account::Backends);
        manager.alter_table(Table::alter().table(Account::Table).add_column(of_accounts).to_owned()).await?;
        let of_keys = text_null(ApiKey::Backends);
        manager.alter_table(Table::alter().table(ApiKey::Table).add_column(of_keys).to_owned()).await?;
        let of_evaluations = text_null(Evaluation::Backend);
        manager
            .alter_table(Table::alter().table(Evaluation::Table).add_column(of_evaluations).to_owned())
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .alter_table(Table::alter().table(Evaluation::Table).drop_column(Evaluation::Backend).to_owned())
            .await?;
        manager
            .alter_table(Table::alter().table(ApiKey::Table).drop_column(ApiKey::Backends).to_owned())
            .await?;
        manager
            .alter_table(Table::alter().table(Account::Table).drop_column(Account::Backends).to_owned())
            .await
    }
}
