//! The database connection pools. PostgreSQL has one pool. SQLite has a pool of readers and a single writer, since it
//! allows only one writer. Long queries have separate connections.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
    sqlx::{
        self, Connection, Executor,
        postgres::{PgConnectOptions, PgConnection},
        sqlite::{SqliteConnection, SqliteJournalMode, SqliteSynchronous},
    },
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{long_queries::LongQueries, statements::count_statements};

/// How long to wait for SQLite's write lock.
const SQLITE_BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout of a transaction or query. After that, the connection is considered dead, as after a power failure of the
/// server; TCP alone would wait indefinitely.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(4);

/// Timeout for connecting to the database when a process starts.
const CHECK_TIMEOUT: Duration = Duration::from_millis(2_500);
/// How long the database continues a statement of an abandoned request. Longer than any request waits.
const ABANDONED_TIMEOUT: Duration = Duration::from_secs(30);
/// Instructions of SQLite's virtual machine between checks of the clock; about a millisecond.
const INSTRUCTIONS: i32 = 100_000;

/// The row of `schedule` that is written to see whether anything can be.
const WRITE_PROBE: &str = "write_probe";

/// A connected database.
#[derive(Clone, Debug)]
pub struct Database {
    read: DatabaseConnection,
    write: DatabaseConnection,
    /// The permit for a bulk change to wait for SQLite's writer. `None` on PostgreSQL, where bulk changes do not block
    /// charges.
    bulk: Option<Arc<Semaphore>>,
    long_queries: LongQueries,
    account_bytes: i64,
}

/// Why a PostgreSQL cannot be used. The messages name the server, and not the password.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("database_url is not an address of PostgreSQL: {0}")]
    Address(sqlx::Error),
    #[error("the database at {server} refuses the connection: {message}")]
    Refused { server: String, message: String },
    #[error("the database at {server} cannot be reached: {cause}")]
    Unreachable { server: String, cause: String },
}

impl Database {
    /// Connects to `postgres://…` or `sqlite://FILE` (created if missing) with up to `pool` connections.
    ///
    /// # Errors
    /// If the URL is neither, or the database does not answer.
    pub async fn connect(url: &str, pool: u32) -> Result<Self, DbErr> {
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(pool)
            .acquire_timeout(Duration::from_secs(5))
            .connect_timeout(Duration::from_secs(5))
            .sqlx_logging(false);
        if !url.starts_with("sqlite:") {
            let mut requests = options.clone();
            requests.map_sqlx_postgres_pool_opts(|pool| {
                pool.after_connect(|connection, _| Box::pin(set_timeouts(connection)))
                    .after_release(|connection, _| Box::pin(is_alive(connection)))
            });
            let connection = count_statements(sea_orm::Database::connect(requests).await?);
            let long_queries = LongQueries::connect(&options, connection.clone()).await?;
            return Ok(Self {
                read: connection.clone(),
                write: connection,
                bulk: None,
                long_queries,
                account_bytes: i64::MAX,
            });
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
                // For searches.
                .with_regexp()
        });
        // The first process on a new file switches it to WAL; the busy timeout does not apply to that.
        let mut single = options.clone();
        let start = Instant::now();
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
        let mut readers = options.clone();
        readers.map_sqlx_sqlite_pool_opts(|pool| {
            pool.before_acquire(|connection, _| Box::pin(end_abandoned(connection)))
        });
        let read = count_statements(sea_orm::Database::connect(readers).await?);
        let long_queries = LongQueries::connect(&options, read.clone()).await?;
        let bulk = Some(Arc::new(Semaphore::new(1)));
        Ok(Self { read, write, bulk, long_queries, account_bytes: i64::MAX })
    }

    /// Checks within [`CHECK_TIMEOUT`] that a PostgreSQL can be reached and lets us in. SQLite needs no check.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn check(url: &str) -> Result<(), ConnectError> {
        if !url.starts_with("postgres:") && !url.starts_with("postgresql:") {
            return Ok(());
        }
        let options: PgConnectOptions = url.parse().map_err(ConnectError::Address)?;
        let server = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", options.get_host(), options.get_port()),
        };
        let connected = tokio::time::timeout(CHECK_TIMEOUT, PgConnection::connect_with(&options)).await;
        let cause = match connected {
            Ok(Ok(connection)) => {
                // The server notices by itself when this fails.
                let _ = connection.close().await;
                return Ok(());
            }
            Ok(Err(sqlx::Error::Database(refusal))) => {
                return Err(ConnectError::Refused { server, message: refusal.message().to_owned() });
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no answer within {CHECK_TIMEOUT:?}"),
        };
        Err(ConnectError::Unreachable { server, cause })
    }

    /// The connection for queries.
    pub fn read(&self) -> &DatabaseConnection {
        &self.read
    }

    /// The connection for single writing statements.
    pub fn write(&self) -> &DatabaseConnection {
        &self.write
    }

    /// Sets the bytes that the samples of one account may take.
    #[must_use]
    pub fn with_account_bytes(self, account_bytes: i64) -> Self {
        Self { account_bytes, ..self }
    }

    /// The bytes that the samples of one account may take.
    pub(crate) fn account_bytes(&self) -> i64 {
        self.account_bytes
    }

    /// The connections for queries that scan whole datasets.
    pub(crate) fn long_queries(&self) -> &LongQueries {
        &self.long_queries
    }

    /// The PostgreSQL pool; `None` on SQLite.
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
        match tokio::time::timeout(STATEMENT_TIMEOUT, work).await {
            Ok(done) => done,
            Err(_) => {
                let message = format!("the database did not answer within {STATEMENT_TIMEOUT:?}");
                Err(DbErr::Custom(message).into())
            }
        }
    }

    /// Verifies that the database answers.
    pub async fn ping(&self) -> Result<(), DbErr> {
        self.read.query_one_raw(Statement::from_string(self.read.get_database_backend(), "SELECT 1")).await?;
        Ok(())
    }

    /// Verifies that the database can be written.
    ///
    /// # Errors
    /// As of the statement.
    pub async fn probe_write(&self) -> Result<(), DbErr> {
        let now = self.now_ms();
        let write = format!(
            "INSERT INTO schedule (name, due_at) VALUES ('{WRITE_PROBE}', {now}) \
             ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at"
        );
        self.write.execute_unprepared(&write).await.map(drop)
    }

    /// Milliseconds since 1970 by the database's clock.
    ///
    /// # Errors
    /// As of the statement.
    pub async fn now(&self, connection: &impl ConnectionTrait) -> Result<i64, DbErr> {
        let backend = connection.get_database_backend();
        let row = Statement::from_string(backend, format!("SELECT {} AS now", self.now_ms()));
        let row = connection.query_one_raw(row).await?;
        row.ok_or_else(|| DbErr::RecordNotFound("the time".to_owned()))?.try_get("", "now")
    }

    /// The SQL expression for milliseconds since 1970 by the database's clock, which all replicas share.
    pub fn now_ms(&self) -> &'static str {
        match self.write.get_database_backend() {
            DbBackend::Postgres => "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
            _ => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
        }
    }
}

/// Makes the server end a transaction whose client is silent, so that its row locks are released, and a statement that
/// nobody waits for.
async fn set_timeouts(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    connection.execute(sqlx::query("SET idle_in_transaction_session_timeout = '3s'")).await?;
    let statements = format!("SET statement_timeout = {}", ABANDONED_TIMEOUT.as_millis());
    connection.execute(sqlx::query(sqlx::AssertSqlSafe(statements))).await?;
    Ok(())
}

/// Makes a SQLite reader end its next statement if it runs for too long.
async fn end_abandoned(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let start = Instant::now();
    let mut handle = connection.lock_handle().await?;
    handle.set_progress_handler(INSTRUCTIONS, move || start.elapsed() < ABANDONED_TIMEOUT);
    drop(handle);
    Ok(true)
}

/// Whether a connection returned to the pool is alive. A dead one would otherwise stay in the pool.
async fn is_alive(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    Ok(tokio::time::timeout(STATEMENT_TIMEOUT, connection.ping()).await.is_ok_and(|ping| ping.is_ok()))
}

/// Whether a connection returned to the pool is outside a transaction. A commit that failed, for example on a full
/// disk, can leave it inside one: later transactions would nest in it, report success and never reach the file.
async fn is_outside_transaction(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // The ping waits for a rollback that is still pending.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}
