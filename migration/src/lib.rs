//! The database schema, one file for each migration, applied in order.

use std::time::Duration;

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectOptions, ConnectionTrait, Database, DbBackend},
};

mod m20261121_000001_create_accounts;
mod m20261121_000002_mark_replays;
mod m20261121_000003_create_holds;
mod m20261121_000004_create_judges;

/// The advisory lock that serializes migrations of replicas on PostgreSQL.
const LOCK: i64 = 0x6761_7665_6c00;

/// The timeout for connecting to the database.
const PATIENCE: Duration = Duration::from_secs(10);

/// All migrations.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261121_000001_create_accounts::Migration),
            Box::new(m20261121_000002_mark_replays::Migration),
            Box::new(m20261121_000003_create_holds::Migration),
            Box::new(m20261121_000004_create_judges::Migration),
        ]
    }
}

/// Applies the missing migrations to the database at `url`. Replicas that start together take turns.
///
/// # Errors
/// A database that does not answer or refuses a migration.
pub async fn migrate(url: &str) -> Result<(), DbErr> {
    let sqlite = url.starts_with("sqlite:");
    // SQLite creates a missing file only when told to.
    let url = if sqlite && !url.contains('?') { format!("{url}?mode=rwc") } else { url.to_owned() };
    // One connection, which owns the lock.
    let mut options = ConnectOptions::new(url);
    // Disables the pool's maintenance task, which in sqlx 0.9.0 can spin for ever when the pool is closed.
    options.max_connections(1).idle_timeout(None).max_lifetime(None);
    options.acquire_timeout(PATIENCE).sqlx_logging(false);
    let db = Database::connect(options).await?;
    let lock = match db.get_database_backend() {
        DbBackend::Postgres => format!("SELECT pg_advisory_lock({LOCK})"),
        // Takes the write lock, and makes all migrations one transaction, so that a crash leaves none half applied.
        _ => "BEGIN IMMEDIATE".to_owned(),
    };
    db.execute_unprepared(&lock).await?;
    let migrated = Migrator::up(&db, None).await;
    if sqlite && migrated.is_ok() {
        db.execute_unprepared("COMMIT").await?;
    }
    // Closing the connection releases the lock, also after a failure.
    db.close().await?;
    migrated
}
