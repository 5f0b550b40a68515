//! A job that a worker has claimed, and its run.

use std::sync::Arc;

use entity::job;
use tokio::{runtime::Handle, sync::watch};

use super::{JobKind, interruption::Interruption, turn::RunTurn};
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

/// One run of a job, which can be interrupted.
pub struct JobRun {
    pub job: Job,
    /// Identifies this run; only the run that owns the job can end it.
    pub token: String,
    pub(super) interruption: watch::Receiver<Option<Interruption>>,
    pub(super) turn: Arc<RunTurn>,
}

impl JobRun {
    /// Why the run should stop, if it should. Long work checks this often, and returns [`super::Failure::Interrupted`].
    pub fn interruption(&self) -> Option<Interruption> {
        *self.interruption.borrow()
    }

    /// Lets a job of another account go first, if one waits. Long work calls this between its steps. It may take
    /// minutes, and ends with an interruption.
    pub async fn yield_slot(&self) {
        self.turn.yield_slot(self.job.kind, &self.interruption).await;
    }

    /// For blocking code on threads of its own: yields, then checks for an interruption.
    pub fn interrupted(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let interruption = self.interruption.clone();
        let turn = self.turn.clone();
        let kind = self.job.kind;
        let runtime = Handle::current();
        move || {
            runtime.block_on(turn.yield_slot(kind, &interruption));
            interruption.borrow().is_some()
        }
    }
}
