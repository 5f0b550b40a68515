//! Background jobs, and the leases of periodic tasks.

use sea_orm_migration::{prelude::*, schema::*};

/// Creates `job` and `schedule`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Job {
    Table,
    Id,
    Kind,
    AccountId,
    Subject,
    Payload,
    State,
    DueAt,
    DeliveredAt,
    Attempts,
    MaxAttempts,
    Worker,
    LeaseUntil,
    CancelRequested,
    Error,
    CreatedAt,
    StartedAt,
    FinishedAt,
}

#[derive(DeriveIden)]
enum Schedule {
    Table,
    Name,
    DueAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let job = Table::create()
            .table(Job::Table)
            .col(text(Job::Id).primary_key())
            .col(text(Job::Kind))
            .col(text_null(Job::AccountId))
            .col(text(Job::Subject))
            .col(json_binary(Job::Payload))
            .col(text(Job::State).check(Expr::col(Job::State).is_in([
                "queued",
                "running",
                "succeeded",
                "failed",
                "cancelled",
            ])))
            .col(big_integer(Job::DueAt))
            .col(big_integer_null(Job::DeliveredAt))
            .col(integer(Job::Attempts).default(0))
            .col(integer(Job::MaxAttempts))
            .col(text_null(Job::Worker))
            .col(big_integer_null(Job::LeaseUntil))
            .col(boolean(Job::CancelRequested).default(false))
            .col(text_null(Job::Error))
            .col(timestamp_with_time_zone(Job::CreatedAt))
            .col(timestamp_with_time_zone_null(Job::StartedAt))
            .col(timestamp_with_time_zone_null(Job::FinishedAt))
            .to_owned();
        manager.create_table(job).await?;
        let schedule = Table::create()
            .table(Schedule::Table)
            .col(text(Schedule::Name).primary_key())
            .col(big_integer(Schedule::DueAt))
            .to_owned();
        manager.create_table(schedule).await?;
        for index in [
            "CREATE INDEX job_open ON job (due_at) WHERE state IN ('queued', 'running')",
            "CREATE INDEX job_state ON job (state, kind)",
            "CREATE INDEX job_subject ON job (subject)",
            "CREATE INDEX job_account ON job (account_id)",
            "CREATE INDEX job_finished ON job (finished_at)",
        ] {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Schedule::Table).to_owned()).await?;
        manager.drop_table(Table::drop().table(Job::Table).to_owned()).await
    }
}
