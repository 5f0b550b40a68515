//! Bulk batches, and the chunks that they are run in.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates `batch` and `batch_chunk`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Batch {
    Table,
    Id,
    AccountId,
    JobId,
    SubmittedBy,
    Status,
    Total,
    Completed,
    Failed,
    ChunksLeft,
    TextPrice,
    InferencePrice,
    Held,
    Charged,
    Bytes,
    Metadata,
    Error,
    CreatedAt,
    StartedAt,
    FinishedAt,
    ExpiresAt,
}

#[derive(DeriveIden)]
enum BatchChunk {
    Table,
    BatchId,
    Number,
    Items,
    Results,
    Total,
    Completed,
    Failed,
}

#[derive(DeriveIden)]
enum Account {
    Table,
    Id,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let batch = Table::create()
            .table(Batch::Table)
            .col(text(Batch::Id).primary_key())
            .col(text(Batch::AccountId))
            .col(text(Batch::JobId))
            .col(text(Batch::SubmittedBy))
            .col(text(Batch::Status).check(Expr::col(Batch::Status).is_in([
                "uploading",
                "queued",
                "running",
                "completed",
                "failed",
                "cancelled",
                "expired",
            ])))
            .col(integer(Batch::Total).default(0))
            .col(integer(Batch::Completed).default(0))
            .col(integer(Batch::Failed).default(0))
            .col(integer(Batch::ChunksLeft).default(0))
            .col(big_integer(Batch::TextPrice).default(0))
            .col(big_integer(Batch::InferencePrice).default(0))
            .col(big_integer(Batch::Held).default(0))
            .col(big_integer(Batch::Charged).default(0))
            .col(big_integer(Batch::Bytes).default(0))
            .col(text(Batch::Metadata))
            .col(text_null(Batch::Error))
            .col(timestamp_with_time_zone(Batch::CreatedAt))
            .col(timestamp_with_time_zone_null(Batch::StartedAt))
            .col(timestamp_with_time_zone_null(Batch::FinishedAt))
            .col(timestamp_with_time_zone(Batch::ExpiresAt))
            .foreign_key(
                ForeignKey::create().from(Batch::Table, Batch::AccountId).to(Account::Table, Account::Id),
            )
            .to_owned();
        manager.create_table(batch).await?;
        let chunk = Table::create()
            .table(BatchChunk::Table)
            .col(text(BatchChunk::BatchId))
            .col(integer(BatchChunk::Number))
            .col(text(BatchChunk::Items))
            .col(text_null(BatchChunk::Results))
            .col(integer(BatchChunk::Total))
            .col(integer(BatchChunk::Completed).default(0))
            .col(integer(BatchChunk::Failed).default(0))
            .primary_key(Index::create().col(BatchChunk::BatchId).col(BatchChunk::Number))
            .foreign_key(
                ForeignKey::create()
                    .from(BatchChunk::Table, BatchChunk::BatchId)
                    .to(Batch::Table, Batch::Id)
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create_table(chunk).await?;
        for index in [
            "CREATE INDEX batch_account ON batch (account_id, id)",
            "CREATE INDEX batch_finished ON batch (finished_at)",
            "CREATE INDEX batch_uploading ON batch (created_at) WHERE status = 'uploading'",
        ] {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(BatchChunk::Table).to_owned()).await?;
        manager.drop_table(Table::drop().table(Batch::Table).to_owned()).await
    }
}
