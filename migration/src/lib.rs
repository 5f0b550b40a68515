//! The schema, one file a change, applied in order. Knows nothing of the rest of the house.

use std::time::Duration;

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectOptions, ConnectionTrait, Database, DbBackend},
};

mod m20261121_000001_create_accounts;

/// The advisory lock under which replicas that start together take turns on Postgres.
const LOCK: i64 = 0x6761_7665_6c00;

/// How long a database that does not answer is tried.
const PATIENCE: Duration = Duration::from_secs(10);

/// Every change.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m20261121_000001_create_accounts::Migration)]
    }
}

/// Applies what the database at `url` lacks; replicas that start together take turns.
///
/// # Errors
/// When the database does not answer or refuses a change.
pub async fn migrate(url: &str) -> Result<(), DbErr> {
    let sqlite = url.starts_with("sqlite:");
    // SQLite makes a missing file only when told to.
    let url = if sqlite && !url.contains('?') { format!("{url}?mode=rwc") } else { url.to_owned() };
    // One connection, since the lock belongs to it.
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).acquire_timeout(PATIENCE).sqlx_logging(false);
    let db = Database::connect(options).await?;
    if db.get_database_backend() == DbBackend::Postgres {
        db.execute_unprepared(&format!("SELECT pg_advisory_lock({LOCK})")).await?;
    }
    let migrated = Migrator::up(&db, None).await;
    // Closing the connection gives the lock back, also after a failure.
    db.close().await?;
    migrated
}
