//! Creates all tables and indexes, and sets the starting prices.

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DbBackend},
};

use super::{accounts, batches, jobs, judges, moderation, money, operation, training, webhooks};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m20261128_000001_create_schema"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // A table comes after those that its foreign keys refer to.
        let tables = [
            accounts::tables(),
            money::tables(),
            judges::tables(),
            training::tables(),
            moderation::tables(),
            jobs::tables(),
            batches::tables(),
            webhooks::tables(),
            operation::tables(),
        ];
        for table in tables.into_iter().flatten() {
            manager.create_table(table).await?;
        }
        let indexes = [
            accounts::INDEXES,
            money::INDEXES,
            judges::INDEXES,
            training::INDEXES,
            moderation::INDEXES,
            jobs::INDEXES,
            batches::INDEXES,
            webhooks::INDEXES,
            operation::INDEXES,
        ];
        for index in indexes.into_iter().flatten() {
            manager.get_connection().execute_unprepared(index).await?;
        }
        if manager.get_database_backend() == DbBackend::Postgres {
            for change in judges::POSTGRES {
                manager.get_connection().execute_unprepared(change).await?;
            }
        }
        manager.execute(money::starting_prices()).await
    }
}
