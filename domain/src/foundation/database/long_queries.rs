//! Long queries, such as statistics. They have separate connections, so that requests never wait for them, and are
//! cancelled in the database when nobody waits for them: a query that is only dropped would continue to run.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI32, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, QueryResult, Statement,
    sqlx::{self, Executor, postgres::PgConnection, sqlite::SqliteConnection},
};
use tokio::sync::oneshot;

use crate::{Code, Error, Result, foundation::slots::Slots};
use ports::id::AccountId;

/// The number of connections, and so of concurrent queries: each scans whole datasets.
const CONNECTIONS: usize = 2;
/// Concurrent queries of one account; further ones wait.
const QUERIES_PER_ACCOUNT: usize = 1;
/// Timeout of a query. Millions of samples take seconds.
const QUERY_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a cancelled query may take to end, and how much longer PostgreSQL's own timeout is.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(3);
/// How long to wait before a query is cancelled again.
const CANCEL_INTERVAL: Duration = Duration::from_millis(100);
/// Instructions of SQLite's virtual machine between checks for cancellation; a fraction of a millisecond.
const INSTRUCTIONS: i32 = 10_000;

/// The connections for long queries. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct LongQueries(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The idle connections; there is one for each permit.
    idle: Mutex<Vec<Cancellable>>,
    permits: Slots<AccountId>,
    /// The connection for PostgreSQL's `pg_cancel_backend`.
    requests: DatabaseConnection,
}

/// A connection whose query can be cancelled.
#[derive(Debug)]
struct Cancellable {
    connection: DatabaseConnection,
    running: Arc<Running>,
}

#[derive(Debug, Default)]
struct Running {
    /// SQLite ends the query when this is set.
    cancelled: AtomicBool,
    /// The process id of the PostgreSQL backend.
    backend: AtomicI32,
}

impl LongQueries {
    /// Connects with the options of the other connections; `requests` are those connections.
    pub(super) async fn connect(
        options: &ConnectOptions,
        requests: DatabaseConnection,
    ) -> Result<Self, DbErr> {
        let mut idle = Vec::with_capacity(CONNECTIONS);
        for _ in 0..CONNECTIONS {
            idle.push(Cancellable::connect(options.clone()).await?);
        }
        let permits = Slots::new(CONNECTIONS, QUERIES_PER_ACCOUNT);
        Ok(Self(Arc::new(Inner { idle: Mutex::new(idle), permits, requests })))
    }

    /// Runs a query of an account once a connection is free. Dropping the returned future cancels the query.
    ///
    /// # Errors
    /// `OVERLOADED` if the query takes longer than [`QUERY_TIMEOUT`].
    pub(crate) async fn query_all(
        &self,
        account: &AccountId,
        statement: Statement,
    ) -> Result<Vec<QueryResult>> {
        let permit = self.0.permits.acquire(account, 1).await;
        let (waiting, gone) = oneshot::channel();
        let queries = self.clone();
        // The task keeps the permit until the database has ended the query.
        let task = tokio::spawn(async move {
            let rows = queries.run(statement, gone).await;
            drop(permit);
            rows
        });
        let rows = task.await.map_err(Error::internal)?;
        drop(waiting);
        rows
    }

    async fn run(&self, statement: Statement, gone: oneshot::Receiver<()>) -> Result<Vec<QueryResult>> {
        let taken = self.0.idle.lock().pop();
        let connection = taken.ok_or_else(|| Error::internal("a permit without its connection"))?;
        let rows = connection.query_all(statement, gone, &self.0.requests).await;
        self.0.idle.lock().push(connection);
        rows
    }
}

impl Cancellable {
    async fn connect(mut options: ConnectOptions) -> Result<Self, DbErr> {
        let running: Arc<Running> = Arc::default();
        options.max_connections(1).connect_lazy(true);
        let of_sqlite = running.clone();
        options.map_sqlx_sqlite_pool_opts(move |pool| {
            let running = of_sqlite.clone();
            pool.after_connect(move |connection, _| Box::pin(watch(connection, running.clone())))
        });
        let of_postgres = running.clone();
        options.map_sqlx_postgres_pool_opts(move |pool| {
            let running = of_postgres.clone();
            pool.after_connect(move |connection, _| Box::pin(identify(connection, running.clone())))
        });
        Ok(Self {
            connection: super::statements::count_statements(sea_orm::Database::connect(options).await?),
            running,
        })
    }

    async fn query_all(
        &self,
        statement: Statement,
        gone: oneshot::Receiver<()>,
        requests: &DatabaseConnection,
    ) -> Result<Vec<QueryResult>> {
        self.running.cancelled.store(false, Ordering::Relaxed);
        let mut query = pin!(self.connection.query_all_raw(statement));
        tokio::select! {
            rows = &mut query => return Ok(rows?),
            _ = tokio::time::timeout(QUERY_TIMEOUT, gone) => self.cancel(requests).await,
        }
        let start = Instant::now();
        // A cancellation before the connection is made, or before the query has begun, has no effect.
        while tokio::time::timeout(CANCEL_INTERVAL, &mut query).await.is_err() {
            if start.elapsed() > QUERY_TIMEOUT + CANCEL_TIMEOUT {
                tracing::warn!("cancelled query did not end");
                break;
            }
            if tokio::time::timeout(CANCEL_TIMEOUT, self.cancel(requests)).await.is_err() {
                tracing::warn!("timed out cancelling a query");
            }
        }
        // A cancellation that is too late for its query hits this ping, and not the next tenant's query.
        let _ = tokio::time::timeout(CANCEL_TIMEOUT, self.connection.ping()).await;
        let message = format!(
            "statistics over these samples take longer than {} s: choose fewer of them by `filter`, or ask for less \
             at once",
            QUERY_TIMEOUT.as_secs()
        );
        Err(Error::new(Code::Overloaded, message))
    }

    async fn cancel(&self, requests: &DatabaseConnection) {
        self.running.cancelled.store(true, Ordering::Relaxed);
        if requests.get_database_backend() == DbBackend::Postgres {
            let backend = self.running.backend.load(Ordering::Relaxed);
            let cancel = Statement::from_sql_and_values(
                DbBackend::Postgres,
                "SELECT pg_cancel_backend($1)",
                [backend.into()],
            );
            if let Err(error) = requests.query_one_raw(cancel).await {
                tracing::warn!(%error, "could not cancel a query");
            }
        }
    }
}

/// Makes a SQLite connection check regularly whether its query is cancelled.
async fn watch(connection: &mut SqliteConnection, running: Arc<Running>) -> Result<(), sqlx::Error> {
    let mut handle = connection.lock_handle().await?;
    handle.set_progress_handler(INSTRUCTIONS, move || !running.cancelled.load(Ordering::Relaxed));
    Ok(())
}

/// Records the process id of a PostgreSQL backend, and lets the server end queries whose client has died.
async fn identify(connection: &mut PgConnection, running: Arc<Running>) -> Result<(), sqlx::Error> {
    let timeout = (QUERY_TIMEOUT + CANCEL_TIMEOUT).as_millis();
    connection.execute(sqlx::AssertSqlSafe(format!("SET statement_timeout = {timeout}"))).await?;
    let backend: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(connection).await?;
    running.backend.store(backend, Ordering::Relaxed);
    Ok(())
}
