//! Files of clients that speak OpenAI's API, and batches that read one and write two.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates `file` and `file_chunk`; adds columns to `batch` and `batch_chunk`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum File {
    Table,
    Id,
    AccountId,
    SubmittedBy,
    Kind,
    BatchId,
    Filename,
    Bytes,
    Ready,
    CreatedAt,
    ExpiresAt,
}

#[derive(DeriveIden)]
enum FileChunk {
    Table,
    FileId,
    Number,
    Bytes,
}

#[derive(DeriveIden)]
enum Account {
    Table,
    Id,
}

#[derive(DeriveIden)]
enum Batch {
    Table,
    Id,
    ImagePrice,
    InputFile,
    Endpoint,
    OutputBytes,
    ErrorBytes,
}

#[derive(DeriveIden)]
enum BatchChunk {
    Table,
    IdBytes,
}

fn batch_columns() -> [ColumnDef; 5] {
    [
        big_integer(Batch::ImagePrice).default(0).take(),
        text_null(Batch::InputFile),
        text_null(Batch::Endpoint),
        big_integer(Batch::OutputBytes).default(0).take(),
        big_integer(Batch::ErrorBytes).default(0).take(),
    ]
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let file = Table::create()
            .table(File::Table)
            .col(text(File::Id).primary_key())
            .col(text(File::AccountId))
            .col(text(File::SubmittedBy))
            .col(text(File::Kind).check(Expr::col(File::Kind).is_in(["input", "output", "errors"])))
            .col(text_null(File::BatchId))
            .col(text(File::Filename))
            .col(big_integer(File::Bytes).default(0))
            .col(boolean(File::Ready))
            .col(timestamp_with_time_zone(File::CreatedAt))
            .col(timestamp_with_time_zone(File::ExpiresAt))
            .foreign_key(
                ForeignKey::create().from(File::Table, File::AccountId).to(Account::Table, Account::Id),
            )
            .foreign_key(
                ForeignKey::create()
                    .from(File::Table, File::BatchId)
                    .to(Batch::Table, Batch::Id)
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create_table(file).await?;
        let chunk = Table::create()
            .table(FileChunk::Table)
            .col(text(FileChunk::FileId))
            .col(integer(FileChunk::Number))
            .col(blob(FileChunk::Bytes))
            .primary_key(Index::create().col(FileChunk::FileId).col(FileChunk::Number))
            .foreign_key(
                ForeignKey::create()
                    .from(FileChunk::Table, FileChunk::FileId)
                    .to(File::Table, File::Id)
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create_table(chunk).await?;
        for index in [
            "CREATE INDEX file_account ON file (account_id, id)",
            "CREATE INDEX file_expires ON file (expires_at)",
            "CREATE UNIQUE INDEX file_batch ON file (batch_id, kind) WHERE batch_id IS NOT NULL",
        ] {
            manager.get_connection().execute_unprepared(index).await?;
        }
        // SQLite adds one column at a time.
        for column in batch_columns() {
            manager.alter_table(Table::alter().table(Batch::Table).add_column(column).to_owned()).await?;
        }
        let id_bytes = integer(BatchChunk::IdBytes).default(0).take();
        manager.alter_table(Table::alter().table(BatchChunk::Table).add_column(id_bytes).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let id_bytes = BatchChunk::IdBytes;
        manager.alter_table(Table::alter().table(BatchChunk::Table).drop_column(id_bytes).to_owned()).await?;
        for column in
            [Batch::ImagePrice, Batch::InputFile, Batch::Endpoint, Batch::OutputBytes, Batch::ErrorBytes]
        {
            manager.alter_table(Table::alter().table(Batch::Table).drop_column(column).to_owned()).await?;
        }
        manager.drop_table(Table::drop().table(FileChunk::Table).to_owned()).await?;
        manager.drop_table(Table::drop().table(File::Table).to_owned()).await
    }
}
