//! Durable holds: credits reserved while work that costs real money is under way.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates `hold`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Hold {
    Table,
    Id,
    AccountId,
    RequestId,
    Amount,
    Purpose,
    ExpiresAt,
    CreatedAt,
}

#[derive(DeriveIden)]
enum Account {
    Table,
    Id,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let holds = Table::create()
            .table(Hold::Table)
            .col(text(Hold::Id).primary_key())
            .col(text(Hold::AccountId))
            .col(text(Hold::RequestId).unique_key())
            .col(big_integer(Hold::Amount))
            .col(text(Hold::Purpose))
            .col(big_integer(Hold::ExpiresAt))
            .col(timestamp_with_time_zone(Hold::CreatedAt))
            .check(Expr::col(Hold::Amount).gte(0))
            .foreign_key(
                ForeignKey::create().from(Hold::Table, Hold::AccountId).to(Account::Table, Account::Id),
            )
            .to_owned();
        manager.create_table(holds).await?;
        let expiry = Index::create().name("hold_expires").table(Hold::Table).col(Hold::ExpiresAt).to_owned();
        manager.create_index(expiry).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Hold::Table).to_owned()).await
    }
}
