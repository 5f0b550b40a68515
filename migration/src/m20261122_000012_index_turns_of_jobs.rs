//! Indexes each account's oldest queued job, by which accounts take turns.

use sea_orm_migration::prelude::*;

/// Creates the index `job_turns`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Not partial: with a condition on the state, PostgreSQL could choose another index with the state, and sort.
        let index = "CREATE INDEX job_turns ON job \
                     ((CASE WHEN state = 'queued' THEN account_id END), due_at, id, kind)";
        manager.get_connection().execute_unprepared(index).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP INDEX job_turns").await?;
        Ok(())
    }
}
