//! Background jobs, as operators see them.

use async_graphql::{Enum, ID, SimpleObject};
use domain::background::job;

use crate::graphql::{date_time::DateTime, pagination::ListConnection};

/// A background job.
#[derive(SimpleObject)]
pub(crate) struct Job {
    /// The job's id, `job_…`.
    pub(crate) id: ID,
    /// The name of its handler, such as `train_checkpoint`.
    kind: String,
    /// The account it works for; null for the deployment's own jobs.
    account_id: Option<ID>,
    /// The id of what it works for, such as `batch_…`.
    subject: String,
    /// Its state.
    state: JobState,
    /// How many times it was started.
    attempts: i32,
    /// How many times it is started before it fails permanently.
    max_attempts: i32,
    /// Whether it is being cancelled.
    cancel_requested: bool,
    /// The cause of its last failure.
    error: Option<String>,
    /// When it was created.
    created_at: DateTime,
    /// When it was first begun.
    started_at: Option<DateTime>,
    /// When it ended.
    finished_at: Option<DateTime>,
}

pub(crate) type JobConnection = ListConnection<Job>;

/// The state of a background job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "job::JobState")]
pub(crate) enum JobState {
    /// Waits for its time or for a worker.
    Queued,
    /// A worker runs it.
    Running,
    /// It is done.
    Succeeded,
    /// It failed for good.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl From<job::JobRow> for Job {
    fn from(row: job::JobRow) -> Self {
        Self {
            id: ID(row.id.to_string()),
            kind: row.kind,
            account_id: row.account.map(|account| ID(account.to_string())),
            subject: row.subject,
            state: row.state.into(),
            attempts: row.attempts,
            max_attempts: row.max_attempts,
            cancel_requested: row.cancel_requested,
            error: row.error,
            created_at: row.created_at.into(),
            started_at: row.started_at.map(DateTime),
            finished_at: row.finished_at.map(DateTime),
        }
    }
}
