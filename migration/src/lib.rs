//! The database schema: one file per change, applied in order. Depends on no other crate of the workspace.

use std::time::Duration;

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement},
};

mod m20261128_000001_create_schema;

/// Key of the PostgreSQL advisory lock that serialises replicas starting together.
const LOCK: i64 = 0x6761_7665_6c00;

/// Timeout for connecting to the database.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m20261128_000001_create_schema::Migration)]
    }
}

/// The migrations of a database, in order.
pub struct MigrationStatus {
    /// How many of ours are applied.
    pub applied: usize,
    /// Ours that are not applied.
    pub pending: Vec<String>,
    /// Applied ones that this build does not have: a newer one applied them.
    pub unknown: Vec<String>,
}

/// Reads which migrations are applied, and changes nothing.
///
/// # Errors
/// If the database does not answer or its SQLite file does not exist.
pub async fn status(url: &str) -> Result<MigrationStatus, DbErr> {
    let db = connect(url.to_owned()).await?;
    let mut applied = Vec::new();
    if SchemaManager::new(&db).has_table("seaql_migrations").await? {
        let query = "SELECT version FROM seaql_migrations ORDER BY version".to_owned();
        for row in db.query_all_raw(Statement::from_string(db.get_database_backend(), query)).await? {
            applied.push(row.try_get::<String>("", "version")?);
        }
    }
    db.close().await?;
    let known: Vec<String> = Migrator::migrations().iter().map(|known| known.name().to_owned()).collect();
    let unknown: Vec<String> = applied.iter().filter(|name| !known.contains(name)).cloned().collect();
    let pending: Vec<String> = known.into_iter().filter(|name| !applied.contains(name)).collect();
    Ok(MigrationStatus { applied: applied.len() - unknown.len(), pending, unknown })
}

/// Applies the pending migrations to the database at `url`; replicas that start together take turns.
///
/// # Errors
/// If the database does not answer or rejects a change.
pub async fn migrate(url: &str) -> Result<(), DbErr> {
    let sqlite = url.starts_with("sqlite:");
    // SQLite creates a missing file only with this option.
    let url = if sqlite && !url.contains('?') { format!("{url}?mode=rwc") } else { url.to_owned() };
    let db = connect(url).await?;
    let lock = match db.get_database_backend() {
        DbBackend::Postgres => format!("SELECT pg_advisory_lock({LOCK})"),
        // Takes the write lock, and makes all changes one transaction, so that a crash leaves no change half applied.
        _ => "BEGIN IMMEDIATE".to_owned(),
    };
    db.execute_unprepared(&lock).await?;
    let migrated = Migrator::up(&db, None).await;
    if sqlite && migrated.is_ok() {
        db.execute_unprepared("COMMIT").await?;
    }
    // Closing the connection releases the lock, even after a failure.
    db.close().await?;
    migrated
}

/// One connection, to which the lock of a migration belongs.
async fn connect(url: String) -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new(url);
    // These two options disable the pool's maintenance task: that of sqlx 0.9.0 can spin forever when its pool is
    // closed.
    options.max_connections(1).idle_timeout(None).max_lifetime(None);
    options.acquire_timeout(CONNECT_TIMEOUT).sqlx_logging(false);
    Database::connect(options).await
}
