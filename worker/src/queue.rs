//! The queue that delivers the ids of jobs: apalis over Redis, or over its own SQLite file. The `job` table is the
//! source of truth: the queue may be emptied at any time, and the outbox refills it.

use std::{path::Path, time::Duration};

use apalis::prelude::TaskSink as _;
use apalis_core::backend::Vacuum as _;
use apalis_redis::RedisStorage;
use apalis_sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions, SqliteStorage};
use async_trait::async_trait;
use domain::background::job::{JobQueue, Lane, QueueError};
use ports::id::JobId;
use redis::{
    Client,
    aio::{ConnectionManager, ConnectionManagerConfig},
};

/// The timeout of requests to Redis. It is generous, because a worker restarts after a timeout.
const REDIS_TIMEOUT: Duration = Duration::from_secs(4);
/// How often a worker tells the queue that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Maximum attempts to set up a new SQLite file.
const SETUP_ATTEMPTS: u32 = 10;
/// The pause after the first attempt; it grows linearly.
const SETUP_RETRY: Duration = Duration::from_millis(50);
/// How long a connection to the SQLite file is used. One whose transaction could not be ended, as on a full disk, keeps
/// the file locked until it is closed.
const MAX_LIFETIME: Duration = Duration::from_secs(30);
/// How long an idle connection is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Ids that a worker fetches at once. Few, because no other worker can run them while they wait.
const FETCHED: usize = 4;

/// The queue of a deployment.
#[derive(Clone)]
pub enum Queue {
    Redis { redis: ConnectionManager, name: String },
    Sqlite { pool: SqlitePool, name: String },
}

impl Queue {
    /// A queue in the Redis at `url`. Connects on first use.
    ///
    /// # Errors
    /// If `url` is not a Redis URL.
    pub fn redis(url: &str, name: &str) -> redis::RedisResult<Self> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(REDIS_TIMEOUT))
            .set_response_timeout(Some(REDIS_TIMEOUT))
            .set_number_of_retries(1);
        let redis = Client::open(url)?.get_connection_manager_lazy(config)?;
        Ok(Self::Redis { redis, name: name.to_owned() })
    }

    /// A queue in an SQLite file, for processes on one machine.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub async fn sqlite(file: &Path, name: &str) -> Result<Self, QueueError> {
        let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
        let options = options.busy_timeout(Duration::from_secs(5));
        let pool = SqlitePoolOptions::new().max_connections(4).max_lifetime(MAX_LIFETIME);
        Self::set_up(pool.idle_timeout(IDLE_TIMEOUT), options, name).await
    }

    /// A queue in the memory of this process.
    ///
    /// # Errors
    /// If SQLite fails.
    pub async fn in_memory(name: &str) -> Result<Self, QueueError> {
        // Each connection would have a queue of its own.
        let pool = SqlitePoolOptions::new().max_connections(1).max_lifetime(None).idle_timeout(None);
        Self::set_up(pool, SqliteConnectOptions::new().in_memory(true), name).await
    }

    async fn set_up(
        pool: SqlitePoolOptions,
        options: SqliteConnectOptions,
        name: &str,
    ) -> Result<Self, QueueError> {
        let pool = pool.connect_with(options).await.map_err(failed)?;
        // sqlx does not lock SQLite during migrations: if several processes start on a new file, one succeeds and the
        // others find its changes on their next attempt.
        let mut attempt = 1;
        while let Err(error) = SqliteStorage::setup(&pool).await {
            if attempt == SETUP_ATTEMPTS {
                return Err(failed(error));
            }
            tokio::time::sleep(SETUP_RETRY * attempt).await;
            attempt += 1;
        }
        Ok(Self::Sqlite { pool, name: name.to_owned() })
    }

    /// apalis' storage of a lane in Redis.
    pub(crate) fn redis_storage(redis: &ConnectionManager, name: &str, lane: Lane) -> RedisStorage<String> {
        let config = apalis_redis::Config::default()
            .queue(format!("{name}:{}", lane.as_str()))
            .batch_size(FETCHED)
            .heartbeat_interval(HEARTBEAT)
            .missed_heartbeats(3)
            .emit_events(false);
        RedisStorage::new(redis.clone()).with_config(config)
    }

    /// apalis' storage of a lane in SQLite.
    pub(crate) fn sqlite_storage(pool: &SqlitePool, name: &str, lane: Lane) -> SqliteStorage<String> {
        let config = apalis_sqlite::Config::default()
            .queue(format!("{name}:{}", lane.as_str()))
            .batch_size(FETCHED)
            .heartbeat_interval(HEARTBEAT)
            .missed_heartbeats(3);
        SqliteStorage::new(pool).with_config(config)
    }

    /// Deletes the records of finished deliveries.
    pub(crate) async fn vacuum(&self) -> Result<(), QueueError> {
        for lane in Lane::ALL.iter().copied() {
            match self {
                Self::Redis { redis, name } => {
                    let mut storage = Self::redis_storage(redis, name, lane);
                    storage.vacuum().await.map_err(failed)?;
                    let done = storage.get_config().done_jobs_set();
                    let mut redis = redis.clone();
                    redis::cmd("DEL").arg(done).query_async::<()>(&mut redis).await.map_err(failed)?;
                }
                Self::Sqlite { pool, name } => {
                    Self::sqlite_storage(pool, name, lane).vacuum().await.map_err(failed)?;
                }
            }
        }
        Ok(())
    }
}

#[async_trait]
impl JobQueue for Queue {
    async fn push(&self, lane: Lane, ids: &[JobId]) -> Result<(), QueueError> {
        let ids = ids.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
        match self {
            Self::Redis { redis, name } => {
                Self::redis_storage(redis, name, lane).push_bulk(ids).await.map_err(failed)
            }
            Self::Sqlite { pool, name } => {
                Self::sqlite_storage(pool, name, lane).push_bulk(ids).await.map_err(failed)
            }
        }
    }

    async fn ping(&self) -> Result<(), QueueError> {
        match self {
            Self::Redis { redis, .. } => {
                let mut redis = redis.clone();
                redis::cmd("PING").query_async::<()>(&mut redis).await.map_err(failed)
            }
            Self::Sqlite { pool, .. } => pool.acquire().await.map(drop).map_err(failed),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Redis { .. } => "redis",
            Self::Sqlite { .. } => "sqlite",
        }
    }
}

fn failed(error: impl std::fmt::Display) -> QueueError {
    QueueError(error.to_string())
}
