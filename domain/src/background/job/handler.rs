//! What a worker does for each kind of job, and what the end of a job means.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use sea_orm::DatabaseTransaction;

use super::{
    JobKind,
    claimed::{Job, JobRun},
    state::Ending,
};
use crate::{Error, Result};

/// Runs the jobs of one kind. A job may be run again after a crash, so a handler must be idempotent.
#[async_trait]
pub trait Handler: Send + Sync + 'static {
    fn kind(&self) -> JobKind;

    /// Does the work. A handler that has written the job's end itself, in the transaction of its result, returns `Ok`.
    ///
    /// # Errors
    /// See [`Failure`].
    async fn run(&self, run: &JobRun) -> Result<(), Failure>;

    /// What the jobs work for.
    fn subject(&self) -> &dyn JobSubject;
}

/// What jobs of a kind work for, such as Checkpoints. It changes when its job ends, whether a worker has run the job or
/// it was cancelled before.
#[async_trait]
pub trait JobSubject: Send + Sync + 'static {
    /// Writes what the job's end means for the subject, in the transaction of that end: a failed Checkpoint, a hold
    /// that is released.
    ///
    /// # Errors
    /// Any error rolls back the end, which is then retried.
    async fn ended(&self, tx: &DatabaseTransaction, job: &Job, ending: &Ending) -> Result<()>;

    /// Publishes the end, after its commit.
    fn announce(&self, _job: &Job) {}
}

/// Why a run did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// It may succeed later: the job is run again while it has attempts left.
    Retry(Error),
    /// The same, but only after this time.
    RetryAfter(Error, Duration),
    /// What it needs is in use. It is run again after this time; this run does not count as an attempt.
    Postponed(Duration),
    /// It will never succeed. The text says why, for the account.
    Fatal(String),
    /// What it works for has ended or is gone: the job ends as if it had been cancelled.
    Obsolete,
    /// The run obeyed an interruption: [`JobRun::interruption`].
    Interrupted,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Retry(error)
    }
}

impl From<sea_orm::DbErr> for Failure {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::Retry(error.into())
    }
}

/// The handlers of a worker, by kind.
#[derive(Clone, Default)]
pub struct Handlers(HashMap<JobKind, Arc<dyn Handler>>);

impl Handlers {
    pub fn new(handlers: Vec<Arc<dyn Handler>>) -> Self {
        Self(handlers.into_iter().map(|handler| (handler.kind(), handler)).collect())
    }

    /// The handler of a kind; none when this worker does not know it.
    pub(super) fn of(&self, kind: JobKind) -> Option<&Arc<dyn Handler>> {
        self.0.get(&kind)
    }
}
