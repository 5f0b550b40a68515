//! E-mail: links for forgotten passwords, and what owners have been told.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates `password_reset`; adds `account.low_balance_told` and `account.summary_at`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum PasswordReset {
    Table,
    Hash,
    UserId,
    ExpiresAt,
}

#[derive(DeriveIden)]
enum AppUser {
    Table,
    Id,
}

#[derive(DeriveIden)]
enum Account {
    Table,
    LowBalanceTold,
    SummaryAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let resets = Table::create()
            .table(PasswordReset::Table)
            .col(text(PasswordReset::Hash).primary_key())
            .col(text(PasswordReset::UserId).unique_key())
            .col(timestamp_with_time_zone(PasswordReset::ExpiresAt))
            .foreign_key(
                ForeignKey::create()
                    .from(PasswordReset::Table, PasswordReset::UserId)
                    .to(AppUser::Table, AppUser::Id)
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create_table(resets).await?;
        for column in [
            boolean(Account::LowBalanceTold).default(false).take(),
            timestamp_with_time_zone_null(Account::SummaryAt).take(),
        ] {
            manager.alter_table(Table::alter().table(Account::Table).add_column(column).to_owned()).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in [Account::LowBalanceTold, Account::SummaryAt] {
            manager.alter_table(Table::alter().table(Account::Table).drop_column(column).to_owned()).await?;
        }
        manager.drop_table(Table::drop().table(PasswordReset::Table).to_owned()).await
    }
}
