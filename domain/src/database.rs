//! One database, two ways in. Postgres: one pool. SQLite: many readers and one writer, since it has one writer anyway.

use std::time::{Duration, Instant};

use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
    sqlx::{
        self, Connection, Executor,
        postgres::PgConnection,
        sqlite::{SqliteConnection, SqliteJournalMode, SqliteSynchronous},
    },
};

/// How long another process may keep SQLite's write lock.
const SQLITE_BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a transaction or a query may take. Past that the connection is believed to have fallen silent, as when the machine at
/// its other end lost power; TCP alone would wait for ever.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(4);

/// A connected database.
#[derive(Clone, Debug)]
pub struct Database {
    read: DatabaseConnection,
    write: DatabaseConnection,
}

impl Database {
    /// Connects to `postgres://…` or `sqlite://FILE` (created when missing) with up to `pool` connections.
    ///
    /// # Errors
    /// When the address is neither, or nothing answers.
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
            return Ok(Self { read: connection.clone(), write: connection });
        }
        options.map_sqlx_sqlite_opts(|sqlite| {
            sqlite
                .create_if_missing(true)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full)
                .busy_timeout(SQLITE_BUSY_TIMEOUT)
                // What is purged leaves no bytes in free pages.
                .pragma("secure_delete", "ON")
                .foreign_keys(true)
        });
        // The first process on a new file switches it to WAL, for which another does not wait by itself.
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
        Ok(Self { read, write })
    }

    /// For queries.
    pub fn read(&self) -> &DatabaseConnection {
        &self.read
    }

    /// For single writing statements.
    pub fn write(&self) -> &DatabaseConnection {
        &self.write
    }

    /// The pool, when this is PostgreSQL.
    pub(crate) fn postgres(&self) -> Option<sqlx::PgPool> {
        let postgres = self.write.get_database_backend() == DbBackend::Postgres;
        postgres.then(|| self.write.get_postgres_connection_pool().clone())
    }

    /// A transaction that will write. On SQLite it takes the write lock at once: one that read first would meet
    /// "database is locked" when it came to write.
    pub async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.write.begin_with_options(options).await
    }

    /// Gives `work` up, its fate unknown, when the database does not answer.
    pub(crate) async fn in_time<T, E: From<DbErr>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let timed_out = |_| {
            Err(DbErr::Custom(format!("the database did not answer within {STATEMENT_TIMEOUT:?}")).into())
        };
        tokio::time::timeout(STATEMENT_TIMEOUT, work).await.unwrap_or_else(timed_out)
    }

    /// Whether it answers.
    pub async fn ping(&self) -> Result<(), DbErr> {
        self.read.query_one_raw(Statement::from_string(self.read.get_database_backend(), "SELECT 1")).await?;
        Ok(())
    }

    /// The SQL for milliseconds since 1970 by the database's own clock, which all replicas share.
    pub fn now_ms(&self) -> &'static str {
        match self.write.get_database_backend() {
            DbBackend::Postgres => "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
            _ => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
        }
    }
}

/// Counts the statements on a connection and its transactions.
fn count_statements(mut connection: DatabaseConnection) -> DatabaseConnection {
    connection.set_metric_callback(|statement| {
        let outcome = if statement.failed { "failed" } else { "done" };
        metrics::counter!("gavel_database_statements_total", "outcome" => outcome).increment(1);
    });
    connection
}

/// Has the server end a transaction whose client has fallen silent, so that others get at the rows it had locked.
async fn set_transaction_timeout(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    connection.execute(sqlx::query("SET idle_in_transaction_session_timeout = '3s'")).await?;
    Ok(())
}

/// Whether a connection that is given back still leads anywhere; one that has fallen silent would be kept for ever.
async fn is_alive(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    Ok(tokio::time::timeout(STATEMENT_TIMEOUT, connection.ping()).await.is_ok_and(|ping| ping.is_ok()))
}

/// Whether a connection that is given back may be used again. A commit that failed, on a full disk, can leave it inside
/// a transaction: all later ones would nest in that one, be answered as done and never reach the file.
async fn is_outside_transaction(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // Waits for a rollback that is still to come.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}
