//! The database connection pools. PostgreSQL has one pool. SQLite has a pool of readers and a single writer, since it
//! allows only one writer.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
    sqlx::{
        self, Connection, Executor,
        postgres::PgConnection,
        sqlite::{SqliteConnection, SqliteJournalMode, SqliteSynchronous},
    },
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long to wait for SQLite's write lock.
const SQLITE_BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout of a transaction or query. After it the connection is considered dead, as when the server's machine lost
/// power; TCP alone would wait indefinitely.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(4);

/// A connected database.
#[derive(Clone, Debug)]
pub struct Database {
    read: DatabaseConnection,
    write: DatabaseConnection,
    /// The permit to wait for SQLite's writer with a bulk change; none on PostgreSQL, where they do not block charges.
    bulk: Option<Arc<Semaphore>>,
}

impl Database {
    /// Connects to `postgres://…` or `sqlite://FILE` (created when missing) with up to `pool` connections.
    ///
    /// # Errors
    /// When the URL is neither, or the database does not answer.
    pub async fn connect(url: &str, pool: u32) -> Result<Self, DbErr> {
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(pool)
            .acquire_timeout(Duration::from_secs(5))
            .connect_timeout(Duration::from_secs(5))
            .sqlx_logging(false);
        if !url.starts_with("sqlite:") {
            options.map_sqlx_postgres_pool_opts(|pool| {
                pool.after_connect(|connection, _| Box::pin(set_transaction_timeout(connection)))
                    .after_release(|connection, _| Box::pin(is_alive(connection)))
            });
            let connection = count_statements(sea_orm::Database::connect(options).await?);
            return Ok(Self { read: connection.clone(), write: connection, bulk: None });
        }
        options.map_sqlx_sqlite_opts(|sqlite| {
            sqlite
                .create_if_missing(true)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full)
                .busy_timeout(SQLITE_BUSY_TIMEOUT)
                // Deleted content leaves no bytes in free pages.
                .pragma("secure_delete", "ON")
                .foreign_keys(true)
        });
        // The first process on a new file switches it to WAL; the busy timeout does not apply to that.
        let (mut single, start) = (options.clone(), Instant::now());
        single.max_connections(1).map_sqlx_sqlite_pool_opts(|pool| {
            pool.after_release(|connection, _| Box::pin(is_outside_transaction(connection)))
        });
        let write = loop {
            match sea_orm::Database::connect(single.clone()).await {
                Err(error)
                    if error.to_string().contains("locked") && start.elapsed() < SQLITE_BUSY_TIMEOUT =>
                {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                connected => break count_statements(connected?),
            }
        };
        let read = count_statements(sea_orm::Database::connect(options).await?);
        Ok(Self { read, write, bulk: Some(Arc::new(Semaphore::new(1))) })
    }

    /// The connection for queries.
    pub fn read(&self) -> &DatabaseConnection {
        &self.read
    }

    /// The connection for single writing statements.
    pub fn write(&self) -> &DatabaseConnection {
        &self.write
    }

    /// The PostgreSQL pool; none on SQLite.
    pub(crate) fn postgres(&self) -> Option<sqlx::PgPool> {
        let postgres = self.write.get_database_backend() == DbBackend::Postgres;
        postgres.then(|| self.write.get_postgres_connection_pool().clone())
    }

    /// Begins a transaction that will write. On SQLite it takes the write lock at once: a transaction that reads first
    /// fails with "database is locked" when it begins to write.
    pub async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.write.begin_with_options(options).await
    }

    /// Begins one of the short transactions of a bulk change. On SQLite one of these at a time waits for the writer, in
    /// line with charges, so that a charge waits for one of them and not for one of each tenant. The permit belongs to
    /// the transaction and is dropped after it.
    pub(crate) async fn begin_bulk(
        &self,
    ) -> Result<(DatabaseTransaction, Option<OwnedSemaphorePermit>), DbErr> {
        let permit = match &self.bulk {
            Some(bulk) => {
                Some(bulk.clone().acquire_owned().await.map_err(|error| DbErr::Custom(error.to_string()))?)
            }
            None => None,
        };
        Ok((self.begin().await?, permit))
    }

    /// Abandons `work` after [`STATEMENT_TIMEOUT`]. It may or may not have taken effect.
    pub(crate) async fn in_time<T, E: From<DbErr>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let timed_out = |_| {
            Err(DbErr::Custom(format!("the database did not answer within {STATEMENT_TIMEOUT:?}")).into())
        };
        tokio::time::timeout(STATEMENT_TIMEOUT, work).await.unwrap_or_else(timed_out)
    }

    /// Verifies that the database answers.
    pub async fn ping(&self) -> Result<(), DbErr> {
        self.read.query_one_raw(Statement::from_string(self.read.get_database_backend(), "SELECT 1")).await?;
        Ok(())
    }

    /// The SQL expression for milliseconds since 1970 by the database's clock, which all replicas share.
    pub fn now_ms(&self) -> &'static str {
        match self.write.get_database_backend() {
            DbBackend::Postgres => "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
            _ => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
        }
    }
}

/// Counts the statements on a connection and its transactions in a metric.
fn count_statements(mut connection: DatabaseConnection) -> DatabaseConnection {
    connection.set_metric_callback(|statement| {
        let outcome = if statement.failed { "failed" } else { "done" };
        metrics::counter!("gavel_database_statements_total", "outcome" => outcome).increment(1);
    });
    connection
}

/// Makes the server end a transaction whose client has gone silent, so that its row locks are released.
async fn set_transaction_timeout(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    connection.execute(sqlx::query("SET idle_in_transaction_session_timeout = '3s'")).await?;
    Ok(())
}

/// True when a connection returned to the pool is alive. A dead one would otherwise stay in the pool.
async fn is_alive(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    Ok(tokio::time::timeout(STATEMENT_TIMEOUT, connection.ping()).await.is_ok_and(|ping| ping.is_ok()))
}

/// True when a connection returned to the pool is outside a transaction. A commit that failed, for example on a full
/// disk, can leave it inside one: later transactions would nest in it, report success and never reach the file.
async fn is_outside_transaction(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // The ping waits for a rollback that is still pending.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}
