//! The schema, one file a change, applied in order. Knows nothing of the rest of the house.

use std::time::Duration;

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectOptions, ConnectionTrait, Database, DbBackend},
};

mod m20261121_000001_create_accounts;
mod m20261121_000002_mark_replays;
mod m20261121_000003_create_holds;
mod m20261121_000004_create_judges;
mod m20261122_000005_name_payers;

/// The advisory lock under which replicas that start together take turns on Postgres.
const LOCK: i64 = 0x6761_7665_6c00;

/// How long a database that does not answer is tried.
const PATIENCE: Duration = Duration::from_secs(10);

/// Every change.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261121_000001_create_accounts::Migration),
            Box::new(m20261121_000002_mark_replays::Migration),
            Box::new(m20261121_000003_create_holds::Migration),
            Box::new(m20261121_000004_create_judges::Migration),
            Box::new(m20261122_000005_name_payers::Migration),
        ]
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
    // Without these two, the pool has no maintenance task: sqlx 0.9.0's can spin for ever when its pool is closed.
    options.max_connections(1).idle_timeout(None).max_lifetime(None);
    options.acquire_timeout(PATIENCE).sqlx_logging(false);
    let db = Database::connect(options).await?;
    let lock = match db.get_database_backend() {
        DbBackend::Postgres => format!("SELECT pg_advisory_lock({LOCK})"),
        // The write lock; and all changes become one, so that a crash leaves none of them half done.
        _ => "BEGIN IMMEDIATE".to_owned(),
    };
    db.execute_unprepared(&lock).await?;
    let migrated = Migrator::up(&db, None).await;
    if sqlite && migrated.is_ok() {
        db.execute_unprepared("COMMIT").await?;
    }
    // Closing the connection gives the lock back, also after a failure.
    db.close().await?;
    migrated
}
