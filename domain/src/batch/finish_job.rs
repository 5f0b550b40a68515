//! The job that ends a batch: when its last chunk has ended, or when its time is up.

use async_trait::async_trait;
use sea_orm::DatabaseTransaction;

use super::store::{self, BatchStatus, job_of};
use crate::{
    Result,
    credits::Credits,
    events::{Event, Events},
    id::{AccountId, JobId},
    job::{Ending, Failure, Handler, Job, JobRun, Jobs, Kind},
};

/// Ends batches. An operator who runs the job early ends the batch as expired.
pub struct FinishBatch {
    pub credits: Credits,
    pub events: Events,
}

#[async_trait]
impl Handler for FinishBatch {
    fn kind(&self) -> Kind {
        Kind::FinishBatch
    }

    /// Does nothing: all there is to do is part of the end.
    async fn run(&self, _: &JobRun) -> Result<(), Failure> {
        Ok(())
    }

    async fn ended(&self, tx: &DatabaseTransaction, job: &Job, ending: &Ending) -> Result<()> {
        let Some(account) = &job.account else { return Ok(()) };
        // Locks the account before the batch, as the commits of chunks do.
        self.credits.end_job_hold(tx, account, &job.id).await?;
        let Some(row) = store::lock(tx, &job.subject).await? else { return Ok(()) };
        let (status, error) = match ending {
            Ending::Succeeded if row.chunks_left == 0 => (BatchStatus::Completed, None),
            Ending::Succeeded => (BatchStatus::Expired, None),
            Ending::Failed(why) => (BatchStatus::Failed, Some(why.clone())),
            Ending::Cancelled => (BatchStatus::Cancelled, None),
        };
        debug_assert_eq!(job_of(&row), job.id);
        store::end(tx, &job.subject, status, error).await?;
        Ok(())
    }

    fn announce(&self, job: &Job, _: &Ending) {
        if let Some(account) = &job.account {
            publish(&self.events, account, job);
        }
    }
}

fn publish(events: &Events, account: &AccountId, job: &Job) {
    events.publish(Event::Progress { account: account.clone(), subject: job.subject.clone() });
    events.publish(Event::Balance { account: account.clone() });
}

/// Hands the job that ends a batch to a worker, when the last chunk may have woken it.
pub(super) fn deliver(jobs: &Jobs, id: JobId) {
    jobs.deliver(Kind::FinishBatch.lane(), vec![id]);
}
