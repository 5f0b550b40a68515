//! Indexes the entries of an account's audit log by action.

use sea_orm_migration::prelude::*;

/// Creates the index `audit_action`.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let index = "CREATE INDEX audit_action ON audit (account_id, action, seq)";
        manager.get_connection().execute_unprepared(index).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP INDEX audit_action").await?;
        Ok(())
    }
}
