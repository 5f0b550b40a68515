//! Accounts, users, API keys, the ledger, prices and idempotency.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates the tables and inserts the initial prices.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Account {
    Table,
    Id,
    Name,
    Balance,
    Held,
    LedgerSeq,
    RateLimitPerMinute,
    CreatedAt,
}

#[derive(DeriveIden)]
enum AppUser {
    Table,
    Id,
    AccountId,
    Email,
    PasswordHash,
    Role,
    CreatedAt,
}

#[derive(DeriveIden)]
enum ApiKey {
    Table,
    Id,
    AccountId,
    Name,
    Hash,
    Hint,
    Scopes,
    RateLimitPerMinute,
    ExpiresAt,
    RevokedAt,
    LastUsedAt,
    CreatedAt,
}

#[derive(DeriveIden)]
enum Ledger {
    Table,
    AccountId,
    Seq,
    RequestId,
    Kind,
    Delta,
    BalanceAfter,
    Reference,
    Endpoint,
    ApiKeyId,
    Note,
    CreatedAt,
}

#[derive(DeriveIden)]
enum Price {
    Table,
    Operation,
    Amount,
    UpdatedAt,
}

#[derive(DeriveIden)]
enum Idempotency {
    Table,
    AccountId,
    Key,
    Fingerprint,
    RequestId,
    LeaseUntil,
    Answer,
    CreatedAt,
}

/// The initial prices, in milli-credits.
const STARTING_PRICES: [(&str, i64); 4] =
    [("text", 500), ("image", 1_000), ("inference", 500), ("checkpoint", 5_000_000)];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(accounts()).await?;
        manager.create_table(users()).await?;
        manager.create_table(api_keys()).await?;
        manager.create_table(ledger()).await?;
        manager.create_table(prices()).await?;
        manager.create_table(idempotency()).await?;
        for (table, name, column) in [
            ("app_user", "app_user_account", "account_id"),
            ("api_key", "api_key_account", "account_id"),
            ("idempotency", "idempotency_created", "created_at"),
        ] {
            let index =
                Index::create().name(name).table(Alias::new(table)).col(Alias::new(column)).to_owned();
            manager.create_index(index).await?;
        }
        let mut rows = Query::insert();
        rows.into_table(Price::Table).columns([Price::Operation, Price::Amount, Price::UpdatedAt]);
        for (operation, amount) in STARTING_PRICES {
            rows.values_panic([operation.into(), amount.into(), Expr::current_timestamp()]);
        }
        manager.execute(rows).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["idempotency", "price", "ledger", "api_key", "app_user", "account"] {
            manager.drop_table(Table::drop().table(Alias::new(table)).to_owned()).await?;
        }
        Ok(())
    }
}

fn accounts() -> TableCreateStatement {
    Table::create()
        .table(Account::Table)
        .col(text(Account::Id).primary_key())
        .col(text(Account::Name))
        .col(big_integer(Account::Balance).default(0))
        .col(big_integer(Account::Held).default(0))
        .col(big_integer(Account::LedgerSeq).default(0))
        .col(integer_null(Account::RateLimitPerMinute))
        .col(timestamp_with_time_zone(Account::CreatedAt))
        .check(Expr::col(Account::Balance).gte(0))
        .check(Expr::col(Account::Held).gte(0).and(Expr::col(Account::Held).lte(Expr::col(Account::Balance))))
        .to_owned()
}

fn users() -> TableCreateStatement {
    Table::create()
        .table(AppUser::Table)
        .col(text(AppUser::Id).primary_key())
        .col(text(AppUser::AccountId))
        .col(text(AppUser::Email).unique_key())
        .col(text_null(AppUser::PasswordHash))
        .col(text(AppUser::Role))
        .col(timestamp_with_time_zone(AppUser::CreatedAt))
        .check(Expr::col(AppUser::Role).is_in(["owner", "editor", "analyst"]))
        .foreign_key(
            ForeignKey::create().from(AppUser::Table, AppUser::AccountId).to(Account::Table, Account::Id),
        )
        .to_owned()
}

fn api_keys() -> TableCreateStatement {
    Table::create()
        .table(ApiKey::Table)
        .col(text(ApiKey::Id).primary_key())
        .col(text(ApiKey::AccountId))
        .col(text(ApiKey::Name))
        .col(text(ApiKey::Hash).unique_key())
        .col(text(ApiKey::Hint))
        .col(text(ApiKey::Scopes))
        .col(integer_null(ApiKey::RateLimitPerMinute))
        .col(timestamp_with_time_zone_null(ApiKey::ExpiresAt))
        .col(timestamp_with_time_zone_null(ApiKey::RevokedAt))
        .col(timestamp_with_time_zone_null(ApiKey::LastUsedAt))
        .col(timestamp_with_time_zone(ApiKey::CreatedAt))
        .foreign_key(
            ForeignKey::create().from(ApiKey::Table, ApiKey::AccountId).to(Account::Table, Account::Id),
        )
        .to_owned()
}

fn ledger() -> TableCreateStatement {
    Table::create()
        .table(Ledger::Table)
        .col(text(Ledger::AccountId))
        .col(big_integer(Ledger::Seq))
        .col(text(Ledger::RequestId).unique_key())
        .col(text(Ledger::Kind))
        .col(big_integer(Ledger::Delta))
        .col(big_integer(Ledger::BalanceAfter))
        .col(text_null(Ledger::Reference))
        .col(text_null(Ledger::Endpoint))
        .col(text_null(Ledger::ApiKeyId))
        .col(text_null(Ledger::Note))
        .col(timestamp_with_time_zone(Ledger::CreatedAt))
        .primary_key(Index::create().col(Ledger::AccountId).col(Ledger::Seq))
        .check(Expr::col(Ledger::BalanceAfter).gte(0))
        .check(Expr::col(Ledger::Kind).is_in(["grant", "charge", "refund", "adjustment"]))
        .foreign_key(
            ForeignKey::create().from(Ledger::Table, Ledger::AccountId).to(Account::Table, Account::Id),
        )
        .to_owned()
}

fn prices() -> TableCreateStatement {
    Table::create()
        .table(Price::Table)
        .col(text(Price::Operation).primary_key())
        .col(big_integer(Price::Amount))
        .col(timestamp_with_time_zone(Price::UpdatedAt))
        .check(Expr::col(Price::Amount).gte(0))
        .to_owned()
}

fn idempotency() -> TableCreateStatement {
    Table::create()
        .table(Idempotency::Table)
        .col(text(Idempotency::AccountId))
        .col(text(Idempotency::Key))
        .col(text(Idempotency::Fingerprint))
        .col(text(Idempotency::RequestId))
        .col(big_integer(Idempotency::LeaseUntil))
        .col(text_null(Idempotency::Answer))
        .col(timestamp_with_time_zone(Idempotency::CreatedAt))
        .primary_key(Index::create().col(Idempotency::AccountId).col(Idempotency::Key))
        .foreign_key(
            ForeignKey::create()
                .from(Idempotency::Table, Idempotency::AccountId)
                .to(Account::Table, Account::Id),
        )
        .to_owned()
}
