//! A job that a worker has claimed, and its run.

use entity::job;
use tokio::sync::watch;

use super::JobKind;
use crate::{Error, Result};
use ports::id::{AccountId, JobId, RequestId};

/// A job.
#[derive(Clone, Debug)]
pub struct Job {
    pub id: JobId,
    pub kind: JobKind,
    pub account: Option<AccountId>,
    /// The id of what it works for.
    pub subject: String,
    pub payload: serde_json::Value,
    /// How often it has been started, including this time.
    pub attempts: i32,
    pub max_attempts: i32,
}

impl TryFrom<job::Model> for Job {
    type Error = Error;

    fn try_from(row: job::Model) -> Result<Self> {
        let Ok(kind) = row.kind.parse() else {
            return Err(Error::internal(format!("{} is of the unknown kind `{}`", row.id, row.kind)));
        };
        Ok(Self {
            kind,
            id: row.id.into(),
            account: row.account_id.map(AccountId::from),
            subject: row.subject,
            payload: row.payload,
            attempts: row.attempts,
            max_attempts: row.max_attempts,
        })
    }
}

impl Job {
    /// The request id of the job's charge: the same for each run, so that it is charged once. A job that charges in
    /// parts adds the part.
    pub(crate) fn charge_id(&self) -> RequestId {
        RequestId::from(self.id.as_str().replacen("job_", "req_", 1))
    }
}

/// Why a run should stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// The job was cancelled.
    Cancelled,
    /// Another worker owns the job now.
    LeaseLost,
    /// This process is stopping; another will run the job again.
    Stopping,
}

/// One run of a job, which can be interrupted.
pub struct JobRun {
    pub job: Job,
    /// Identifies this run; only the run that owns the job can end it.
    pub token: String,
    pub(super) interruption: watch::Receiver<Option<Interruption>>,
}

impl JobRun {
    /// Why the run should stop, if it should. Long work checks this often, and returns [`super::Failure::Interrupted`].
    pub fn interruption(&self) -> Option<Interruption> {
        *self.interruption.borrow()
    }

    /// A check for blocking code on another thread.
    pub fn interrupted(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let interruption = self.interruption.clone();
        move || interruption.borrow().is_some()
    }
}
