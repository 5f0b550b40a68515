//! Paid jobs, which hold credits of their account: trainings, evaluations and batches. Submits them, once under an
//! `Idempotency-Key`, and cancels them.
//!
//! A transaction that changes credits or the audit log together with a job, or with what the job works for, locks the
//! account first.

use std::sync::Arc;

use sea_orm::DatabaseTransaction;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Ending, Job, JobState, JobSubject, Jobs, NewJob, SubjectRecord, end, find_record, insert, retry::retried,
};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
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
    /// What the check of the work found out.
    type Plan: Send;
    /// The answer, also to a repeated request.
    type Submitted: Serialize + DeserializeOwned + Send;

    /// Names the submission under an `Idempotency-Key`.
    const ROUTE: &'static str;
    /// The purpose of the hold, for operators.
    const PURPOSE: &'static str;

    fn account(&self) -> &AccountId;

    /// What a repeated request has in common with the first.
    fn fingerprint(&self) -> impl Serialize + Send + Sync;

    /// Checks the work; returns the credits to hold for it too.
    fn plan(&self) -> impl Future<Output = Result<(Self::Plan, Amount)>> + Send;

    /// Writes the work in the transaction that holds its credits, with the account locked; returns it with its jobs.
    /// The hold belongs to `job`. The jobs that are due at once share a lane.
    fn write(
        &self,
        tx: &DatabaseTransaction,
        plan: Self::Plan,
        job: JobId,
    ) -> impl Future<Output = Result<(Self::Submitted, Vec<NewJob>)>> + Send;

    /// Called after the commit.
    fn committed(&self) {}
}

impl PaidJobs {
    /// Submits work: holds its credits and writes it with its jobs, in one transaction. Under an `Idempotency-Key` it
    /// is submitted once, and a repeated request gets the same answer.
    ///
    /// # Errors
    /// Those of the work; `INSUFFICIENT_CREDITS`; `NOT_FOUND` for an unknown account; those of an `Idempotency-Key`.
    pub(crate) async fn submit<W: PaidWork>(&self, work: &W, once: Option<Once>) -> Result<W::Submitted> {
        let Some(once) = once else { return self.submit_once(work, None).await };
        once.run(work.account(), W::ROUTE, &work.fingerprint(), |claim| async move {
            self.submit_once(work, Some(&claim)).await
        })
        .await
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

    /// Cancels the job of a record of the actor's account: at once while it is queued, within seconds while it runs.
    /// Cancelling again is no error. `subject` are all that jobs of this kind work for.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without the record; `CONFLICT` when its job has ended otherwise;
    /// `INTERNAL_ERROR` when the database does not answer.
    pub(crate) async fn cancel<R: SubjectRecord>(
        &self,
        subject: &dyn JobSubject,
        actor: &Actor,
        id: &str,
    ) -> Result<R> {
        actor.require(Role::Editor)?;
        let record: R = find_record(&self.db, &actor.account, id).await?;
        match record.state() {
            JobState::Cancelled => return Ok(record),
            JobState::Succeeded | JobState::Failed => {
                let message = format!("the {} has already ended: {}", R::NOUN, record.state().as_str());
                return Err(Error::new(Code::Conflict, message));
            }
            JobState::Queued | JobState::Running => {}
        }
        let cancelled = retried(|| async {
            let tx = self.db.begin().await?;
            lock_account(&tx, &actor.account).await?;
            let queued = end::end_queued(&tx, record.job(), &Ending::Cancelled).await?;
            match &queued {
                Some(job) => subject.ended(&tx, job, &Ending::Cancelled).await?,
                None => end::request_cancel(&tx, record.job()).await?,
            }
            audit::write(&tx, audit::Change::by(actor, R::CANCEL, id)).await?;
            tx.commit().await?;
            Ok(queued)
        });
        match cancelled.await? {
            Some(job) => subject.announce(&job),
            None => self.jobs.deliver(R::KIND.lane(), vec![record.job().clone()]),
        }
        find_record(&self.db, &actor.account, id).await
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
