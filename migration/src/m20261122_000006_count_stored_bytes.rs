//! Counts the bytes of each account's samples, and indexes idempotency keys by request id.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates `storage` and fills it.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Storage {
    Table,
    AccountId,
    Bytes,
}

/// Counts as `domain::learning::sample` does.
const COUNT: &str = "INSERT INTO storage (account_id, bytes) SELECT account_id, SUM(512 + octet_length(state) \
    + COALESCE(octet_length(instructions), 0) + COALESCE((SELECT SUM(COALESCE(octet_length(answer), 0) \
    + COALESCE(octet_length(probabilities), 0)) FROM sample_answer WHERE sample_seq = sample.seq), 0)) \
    FROM sample GROUP BY account_id";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table(Storage::Table)
            .col(text(Storage::AccountId).primary_key())
            .col(big_integer(Storage::Bytes))
            .to_owned();
        manager.create_table(table).await?;
        let index = "CREATE INDEX idempotency_request ON idempotency (account_id, request_id)";
        for statement in [COUNT, index] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .drop_index(Index::drop().name("idempotency_request").table(Alias::new("idempotency")).to_owned())
            .await?;
        manager.drop_table(Table::drop().table(Storage::Table).to_owned()).await
    }
}
