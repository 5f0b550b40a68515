//! Paid jobs: those that hold credits of their account. How they are submitted and cancelled, and how the row that a job works
//! for begins and ends.
//!
//! A transaction that changes a job, or what it works for, beside credits or the audit log locks the account first.

use chrono::Utc;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, UpdateMany,
    sea_query::{Expr, Func},
};

use super::{Ending, Handler, Jobs, NewJob, State, end, insert, retry::retried};
use crate::{
    Code, Error, Result,
    foundation::{audit, database::Database},
    money::credits::{Credits, JobHold, PendingJobHold, lock_account},
};
use ports::id::JobId;

/// A table of what jobs work for, such as Checkpoints.
pub(crate) trait Subject: EntityTrait {
    const ID: Self::Column;
    const STATE: Self::Column;
    const ERROR: Self::Column;
    const STARTED_AT: Self::Column;
    const FINISHED_AT: Self::Column;
}

/// Implements [`Subject`] for an entity whose columns are named as in `checkpoint`, but for the one of its state.
macro_rules! subject {
    ($entity:ident, $state:ident) => {
        impl crate::background::job::Subject for entity::$entity::Entity {
            const ID: Self::Column = entity::$entity::Column::Id;
            const STATE: Self::Column = entity::$entity::Column::$state;
            const ERROR: Self::Column = entity::$entity::Column::Error;
            const STARTED_AT: Self::Column = entity::$entity::Column::StartedAt;
            const FINISHED_AT: Self::Column = entity::$entity::Column::FinishedAt;
        }
    };
}
pub(crate) use subject;

/// The change that marks an open subject as running; the time of its first run stays.
pub(crate) fn begun<S: Subject>(id: &str) -> UpdateMany<S> {
    let started_at = Func::coalesce([Expr::col(S::STARTED_AT), Expr::value(Utc::now())]);
    open::<S>(id)
        .col_expr(S::STATE, Expr::value(State::Running.as_str()))
        .col_expr(S::STARTED_AT, started_at.into())
}

/// Ends an open subject on the transaction that ends its job; false when it has ended.
pub(crate) async fn end_subject<S: Subject>(
    tx: &impl ConnectionTrait,
    id: &str,
    state: &str,
    error: Option<&str>,
) -> Result<bool, DbErr> {
    let ended = open::<S>(id)
        .col_expr(S::STATE, Expr::value(state))
        .col_expr(S::ERROR, Expr::value(error.map(str::to_owned)))
        .col_expr(S::FINISHED_AT, Expr::value(Utc::now()));
    Ok(ended.exec(tx).await?.rows_affected > 0)
}

fn open<S: Subject>(id: &str) -> UpdateMany<S> {
    S::update_many().filter(S::ID.eq(id)).filter(S::STATE.is_in(State::OPEN))
}

/// A submission under way: a transaction in which the account is locked, and the credits are held.
pub(crate) struct Submission {
    // Ends before the reservation does.
    pub(crate) tx: DatabaseTransaction,
    hold: PendingJobHold,
}

impl Submission {
    /// Holds the credits of a job that is still to be written.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS`; `NOT_FOUND` for an unknown account.
    pub(crate) async fn begin(db: &Database, credits: &Credits, hold: JobHold) -> Result<Self> {
        let hold = credits.prepare_job_hold(hold).await?;
        let tx = db.begin().await?;
        hold.place(&tx).await?;
        Ok(Self { tx, hold })
    }

    /// Writes the jobs, commits, and hands those that are due to the queue; they are of one lane.
    pub(crate) async fn commit(self, db: &Database, jobs: &Jobs, new: Vec<NewJob>) -> Result<()> {
        let due: Vec<_> =
            new.iter().filter(|job| job.delay_ms == 0).map(|job| (job.kind.lane(), job.id.clone())).collect();
        insert(db, &self.tx, new).await?;
        self.tx.commit().await?;
        drop(self.hold);
        if let Some((lane, _)) = due.first() {
            jobs.deliver(*lane, due.iter().map(|(_, id)| id.clone()).collect());
        }
        Ok(())
    }
}

/// A cancellation by the account.
pub(crate) struct Cancellation<'a> {
    /// Knows what the end of the job means.
    pub(crate) handler: &'a dyn Handler,
    pub(crate) job: &'a JobId,
    /// The state of what it works for, as it was read.
    pub(crate) state: State,
    /// What it works for, in words.
    pub(crate) noun: &'static str,
    /// For the audit log.
    pub(crate) change: audit::Change<'a>,
}

/// Cancels a job: at once while it is queued, within seconds while it runs. Repeating is no error.
///
/// # Errors
/// `CONFLICT` when it has ended otherwise; `INTERNAL_ERROR` when the database does not answer.
pub(crate) async fn cancel_paid(db: &Database, jobs: &Jobs, what: Cancellation<'_>) -> Result<()> {
    let Cancellation { handler, job: id, state, noun, change } = what;
    match state {
        State::Cancelled => return Ok(()),
        State::Succeeded | State::Failed => {
            let message = format!("the {noun} has ended: it is {}", state.as_str());
            return Err(Error::new(Code::Conflict, message));
        }
        State::Queued | State::Running => {}
    }
    let cancelled = retried(|| async {
        let tx = db.begin().await?;
        lock_account(&tx, change.account).await?;
        let queued = end::end_queued(&tx, id, &Ending::Cancelled).await?;
        match &queued {
            Some(job) => handler.ended(&tx, job, &Ending::Cancelled).await?,
            None => end::request_cancel(&tx, id).await?,
        }
        audit::write(&tx, change.clone()).await?;
        tx.commit().await?;
        Ok(queued)
    });
    match cancelled.await? {
        Some(job) => handler.announce(&job, &Ending::Cancelled),
        None => jobs.deliver(handler.kind().lane(), vec![id.clone()]),
    }
    Ok(())
}
