//! The workers of a deployment, which report every few seconds what they do, for operators.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use entity::worker;
use parking_lot::Mutex;
use sea_orm::{ConnectionTrait, EntityTrait, FromQueryResult, Statement};

use crate::{Result, foundation::database::Database};
use ports::id::{JobId, WorkerId};

/// How often a worker reports.
pub const REPORT_INTERVAL: Duration = Duration::from_secs(5);
/// After this long without a report, a worker counts as lost.
const LOST_AFTER: Duration = Duration::from_secs(20);
/// How long the last report of a lost worker is kept.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// The most workers in a list.
const MAX_LISTED: u32 = 200;

/// The jobs that a process runs now. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RunningJobs(Arc<Mutex<BTreeSet<JobId>>>);

/// Keeps a job among the running ones until it is dropped.
pub(super) struct RunningJob {
    all: RunningJobs,
    id: JobId,
}

impl RunningJobs {
    pub(super) fn begin(&self, id: &JobId) -> RunningJob {
        self.0.lock().insert(id.clone());
        RunningJob { all: self.clone(), id: id.clone() }
    }

    /// Their ids, separated by spaces.
    fn joined(&self) -> String {
        let running = self.0.lock();
        running.iter().map(JobId::as_str).collect::<Vec<_>>().join(" ")
    }
}

impl Drop for RunningJob {
    fn drop(&mut self) {
        self.all.0.lock().remove(&self.id);
    }
}

/// A worker as it reports itself.
#[derive(Clone, Debug)]
pub struct WorkerIdentity {
    id: WorkerId,
    name: String,
    version: &'static str,
    started_at: DateTime<Utc>,
}

impl WorkerIdentity {
    /// This process, which runs `version`. Its name is that of the host, with the number of the process.
    pub fn of_this_process(version: &'static str) -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = if host.trim().is_empty() { "host" } else { host.trim() };
        let name = format!("{host}:{}", std::process::id());
        Self { id: WorkerId::new(), name, version, started_at: Utc::now() }
    }
}

/// A worker as operators see it.
#[derive(Clone, Debug)]
pub struct WorkerRow {
    pub id: WorkerId,
    pub name: String,
    pub version: String,
    pub started_at: DateTime<Utc>,
    /// Its last report.
    pub seen_at: DateTime<Utc>,
    /// Whether it has failed to report for 20 seconds.
    pub lost: bool,
    /// The jobs that it ran at its last report.
    pub jobs: Vec<JobId>,
}

/// The workers of a deployment. Cheap to clone.
#[derive(Clone)]
pub struct Workers {
    db: Database,
}

/// A row with its age.
#[derive(FromQueryResult)]
struct Reported {
    id: String,
    name: String,
    version: String,
    started_at: DateTime<Utc>,
    seen_at: i64,
    age: i64,
    jobs: String,
}

impl Workers {
    pub fn new(db: Database) -> Self {
        Self { db }
    }

    /// Reports that a worker runs these jobs, and forgets workers that were lost a day ago.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn report(&self, worker: &WorkerIdentity, running: &RunningJobs) -> Result<()> {
        let now = self.db.now_ms();
        let write = self.db.write();
        let backend = write.get_database_backend();
        let sql = format!(
            "INSERT INTO worker (id, name, version, started_at, seen_at, jobs) VALUES ($1, $2, $3, $4, {now}, $5) \
             ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, jobs = excluded.jobs"
        );
        let values = [
            worker.id.as_str().into(),
            worker.name.as_str().into(),
            worker.version.into(),
            worker.started_at.into(),
            running.joined().into(),
        ];
        self.db.in_time(write.execute_raw(Statement::from_sql_and_values(backend, sql, values))).await?;
        let old = format!("DELETE FROM worker WHERE seen_at < {now} - {}", KEPT_FOR.as_millis());
        self.db.in_time(write.execute_raw(Statement::from_string(backend, old))).await?;
        Ok(())
    }

    /// Forgets a worker that ends.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn leave(&self, worker: &WorkerIdentity) -> Result<()> {
        let leave = worker::Entity::delete_by_id(worker.id.as_str()).exec(self.db.write());
        self.db.in_time(leave).await?;
        Ok(())
    }

    /// Up to 200 workers that have reported within a day, those first that have started last.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn list(&self) -> Result<Vec<WorkerRow>> {
        let sql = format!(
            "SELECT id, name, version, started_at, seen_at, jobs, CAST({} - seen_at AS BIGINT) AS age FROM worker \
             ORDER BY started_at DESC, id LIMIT {MAX_LISTED}",
            self.db.now_ms()
        );
        let statement = Statement::from_string(self.db.read().get_database_backend(), sql);
        let rows = self.db.in_time(Reported::find_by_statement(statement).all(self.db.read())).await?;
        Ok(rows.into_iter().map(WorkerRow::from).collect())
    }
}

impl From<Reported> for WorkerRow {
    fn from(row: Reported) -> Self {
        Self {
            id: WorkerId::from(row.id),
            name: row.name,
            version: row.version,
            started_at: row.started_at,
            seen_at: DateTime::from_timestamp_millis(row.seen_at).unwrap_or_default(),
            lost: row.age > LOST_AFTER.as_millis() as i64,
            jobs: row.jobs.split_whitespace().map(|id| JobId::from(id.to_owned())).collect(),
        }
    }
}
