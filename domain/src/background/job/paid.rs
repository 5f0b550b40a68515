//! Paid jobs: those that hold credits of their account, such as trainings, evaluations and batches. How they are submitted,
//! once under an `Idempotency-Key`, and cancelled.
//!
//! A transaction that changes a job, or what it works for, beside credits or the audit log locks the account first.

use std::sync::Arc;

use sea_orm::DatabaseTransaction;
use serde::{Serialize, de::DeserializeOwned};

use super::{Ending, Job, JobState, JobSubject, Jobs, Kind, NewJob, end, insert, retry::retried};
use crate::{
    Code, Error, Result,
    foundation::{
        audit,
        database::Database,
        events::{Event, Events},
    },
    money::{
        amount::Amount,
        billing::Billing,
        credits::{JobHold, lock_account},
        idempotency::{Claim, Once, store_unpaid},
    },
};
use ports::id::{AccountId, JobId};

/// Submits and cancels paid jobs. Cheap to clone.
#[derive(Clone)]
pub struct PaidJobs {
    pub db: Database,
    pub billing: Arc<Billing>,
    pub events: Events,
    pub jobs: Jobs,
}

/// Work to be submitted as paid jobs.
pub(crate) trait PaidWork: Sync {
    /// What was found out while the work was checked.
    type Plan: Send;
    /// What is returned, also to a repetition of the request.
    type Submitted: Serialize + DeserializeOwned + Send;

    /// Names the submission under an `Idempotency-Key`.
    const ROUTE: &'static str;
    /// The purpose of the hold, for operators.
    const PURPOSE: &'static str;

    fn account(&self) -> &AccountId;

    /// What makes a repetition the same request.
    fn fingerprint(&self) -> impl Serialize + Send + Sync;

    /// Checks the work, and says what is held for it.
    fn plan(&self) -> impl Future<Output = Result<(Self::Plan, Amount)>> + Send;

    /// Writes the work in the transaction that holds its credits, with the account locked; returns it with its jobs. The
    /// hold belongs to `job`; those jobs that are due are of one lane.
    fn write(
        &self,
        tx: &DatabaseTransaction,
        plan: Self::Plan,
        job: JobId,
    ) -> impl Future<Output = Result<(Self::Submitted, Vec<NewJob>)>> + Send;

    /// Called after the commit.
    fn committed(&self) {}
}

/// A cancellation by the account.
pub(crate) struct Cancellation<'a> {
    /// What the job works for.
    pub(crate) subject: &'a dyn JobSubject,
    /// What it works for, in words.
    pub(crate) noun: &'static str,
    pub(crate) kind: Kind,
    pub(crate) job: &'a JobId,
    /// The state of what it works for, as it was read.
    pub(crate) state: JobState,
    /// For the audit log.
    pub(crate) change: audit::Change<'a>,
}

impl PaidJobs {
    /// Submits work: holds its credits, and writes it with its jobs in one transaction. Under an `Idempotency-Key` it is
    /// submitted once, and repetitions of the request return the same.
    ///
    /// # Errors
    /// Those of the work; `INSUFFICIENT_CREDITS`; `NOT_FOUND` for an unknown account; those of an `Idempotency-Key`.
    pub(crate) async fn submit<W: PaidWork>(&self, work: &W, once: Option<Once>) -> Result<W::Submitted> {
        match once {
            Some(once) => {
                let submit = |claim| async move { self.submit_once(work, Some(&claim)).await };
                once.run(work.account(), W::ROUTE, &work.fingerprint(), submit).await
            }
            None => self.submit_once(work, None).await,
        }
    }

    async fn submit_once<W: PaidWork>(&self, work: &W, claim: Option<&Claim>) -> Result<W::Submitted> {
        let (plan, amount) = work.plan().await?;
        let job = JobId::new();
        let account = work.account().clone();
        let hold = JobHold { account, job: job.clone(), amount, purpose: W::PURPOSE };
        // Declared before the transaction, so that it is dropped after it.
        let hold = self.billing.credits.prepare_job_hold(hold).await?;
        let tx = self.db.begin().await?;
        hold.place(&tx).await?;
        let (submitted, jobs) = work.write(&tx, plan, job).await?;
        if let Some(claim) = claim {
            let answer = serde_json::to_value(&submitted).map_err(Error::internal)?;
            store_unpaid(&tx, claim, &answer).await?;
        }
        let due: Vec<JobId> = jobs.iter().filter(|job| job.delay_ms == 0).map(|job| job.id.clone()).collect();
        let lane = jobs.iter().find(|job| job.delay_ms == 0).map(|job| job.kind.lane());
        insert(&self.db, &tx, jobs).await?;
        tx.commit().await?;
        drop(hold);
        if let Some(lane) = lane {
            self.jobs.deliver(lane, due);
        }
        work.committed();
        Ok(submitted)
    }

    /// Cancels a job: at once while it is queued, within seconds while it runs. Repeating is no error.
    ///
    /// # Errors
    /// `CONFLICT` when it has ended otherwise; `INTERNAL_ERROR` when the database does not answer.
    pub(crate) async fn cancel(&self, cancellation: Cancellation<'_>) -> Result<()> {
        let Cancellation { subject, noun, kind, job: id, state, change } = cancellation;
        match state {
            JobState::Cancelled => return Ok(()),
            JobState::Succeeded | JobState::Failed => {
                let message = format!("the {noun} has ended: it is {}", state.as_str());
                return Err(Error::new(Code::Conflict, message));
            }
            JobState::Queued | JobState::Running => {}
        }
        let cancelled = retried(|| async {
            let tx = self.db.begin().await?;
            lock_account(&tx, change.account).await?;
            let queued = end::end_queued(&tx, id, &Ending::Cancelled).await?;
            match &queued {
                Some(job) => subject.ended(&tx, job, &Ending::Cancelled).await?,
                None => end::request_cancel(&tx, id).await?,
            }
            audit::write(&tx, change.clone()).await?;
            tx.commit().await?;
            Ok(queued)
        });
        match cancelled.await? {
            Some(job) => subject.announce(&job),
            None => self.jobs.deliver(kind.lane(), vec![id.clone()]),
        }
        Ok(())
    }

    /// Releases the credits that a job still holds, on the transaction that ends it. Locks the account.
    pub(crate) async fn release(&self, tx: &DatabaseTransaction, job: &Job) -> Result<()> {
        if let Some(account) = &job.account {
            self.billing.credits.end_job_hold(tx, account, &job.id).await?;
        }
        Ok(())
    }

    /// Publishes that what a job works for has changed.
    pub(crate) fn publish_progress(&self, job: &Job) {
        if let Some(account) = job.account.clone() {
            self.events.publish(Event::Progress { account, subject: job.subject.clone() });
        }
    }
}
