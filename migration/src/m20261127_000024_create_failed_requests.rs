//! Requests that were refused or failed, for those who look for one by its id.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates `failed_request`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum FailedRequest {
    Table,
    Seq,
    AccountId,
    RequestId,
    Actor,
    Method,
    Route,
    Status,
    Code,
    Message,
    LatencyMs,
    CreatedAt,
}

const INDEXES: [&str; 3] = [
    "CREATE INDEX failed_request_account ON failed_request (account_id, seq)",
    "CREATE INDEX failed_request_id ON failed_request (request_id)",
    "CREATE INDEX failed_request_time ON failed_request (created_at)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table(FailedRequest::Table)
            .col(big_integer(FailedRequest::Seq).auto_increment().primary_key())
            .col(text_null(FailedRequest::AccountId))
            .col(text(FailedRequest::RequestId))
            .col(text_null(FailedRequest::Actor))
            .col(text(FailedRequest::Method))
            .col(text(FailedRequest::Route))
            .col(integer(FailedRequest::Status))
            .col(text(FailedRequest::Code))
            .col(text(FailedRequest::Message))
            .col(double(FailedRequest::LatencyMs))
            .col(timestamp_with_time_zone(FailedRequest::CreatedAt))
            .to_owned();
        manager.create_table(table).await?;
        for index in INDEXES {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(FailedRequest::Table).to_owned()).await
    }
}
