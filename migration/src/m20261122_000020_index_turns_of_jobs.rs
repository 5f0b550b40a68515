//! Finds each account's oldest queued job, by which accounts take turns.

use sea_orm_migration::prelude::*;

/// Creates the index `job_turns`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let index = "CREATE INDEX job_turns ON job (account_id, due_at, id, kind) WHERE state = 'queued'";
        manager.get_connection().execute_unprepared(index).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP INDEX job_turns").await?;
        Ok(())
    }
}
