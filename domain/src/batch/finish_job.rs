//! The job that ends a batch: when its last chunk has ended, or when its time is up.

use async_trait::async_trait;
use entity::batch;
use sea_orm::DatabaseTransaction;

use super::{
    batches::Batches,
    ending,
    files::Files,
    store::{self, BatchStatus, job_of},
};
use crate::{
    Result,
    background::job::{self, Ending, Failure, Handler, Job, JobKind, JobRun, JobSubject},
    foundation::events::{Event, Events},
};
use ports::id::AccountId;

/// Ends batches. An operator who runs the job early ends the batch as expired.
pub struct FinishBatch {
    pub batches: Batches,
}

#[async_trait]
impl Handler for FinishBatch {
    fn kind(&self) -> JobKind {
        JobKind::FinishBatch
    }

    /// Does nothing: all there is to do is part of the end.
    async fn run(&self, _: &JobRun) -> Result<(), Failure> {
        Ok(())
    }

    fn subject(&self) -> &dyn JobSubject {
        self
    }
}

#[async_trait]
impl JobSubject for FinishBatch {
    async fn ended(&self, tx: &DatabaseTransaction, job: &Job, ending: &Ending) -> Result<()> {
        if job.account.is_none() {
            return Ok(());
        }
        // Locks the account before the batch, as the commits of chunks do.
        self.batches.paid.release(tx, job).await?;
        write_end(&self.batches.files, tx, &job.subject, ending).await
    }

    fn announce(&self, job: &Job) {
        if let Some(account) = &job.account {
            publish(&self.batches.paid.events, account, &job.subject);
        }
    }
}

impl Batches {
    /// Ends a batch whose last chunk has ended, or which has expired, without waiting for its job: that may be behind
    /// the chunks of many other batches.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer; the job then ends the batch.
    pub(super) async fn finish_now(&self, batch: &batch::Model) -> Result<()> {
        let db = &self.paid.db;
        let account = AccountId::from(batch.account_id.clone());
        let job = job_of(batch);
        let tx = db.begin().await?;
        self.paid.billing.credits.end_job_hold(&tx, &account, &job).await?;
        if job::end_queued(&tx, &job, &Ending::Succeeded).await?.is_none() {
            return Ok(());
        }
        write_end(&self.files, &tx, &batch.id, &Ending::Succeeded).await?;
        tx.commit().await?;
        publish(&self.paid.events, &account, &batch.id);
        Ok(())
    }
}

/// Writes what the end of the job means for the batch.
async fn write_end(files: &Files, tx: &DatabaseTransaction, id: &str, outcome: &Ending) -> Result<()> {
    let Some(row) = store::lock(tx, id).await? else { return Ok(()) };
    let status = match outcome {
        Ending::Succeeded if row.chunks_left == 0 => BatchStatus::Completed,
        Ending::Succeeded => BatchStatus::Expired,
        Ending::Failed(_) => BatchStatus::Failed,
        Ending::Cancelled => BatchStatus::Cancelled,
    };
    let late = (status == BatchStatus::Expired).then(|| not_run(&row));
    ending::end(files, tx, id, status, late.as_deref().or(outcome.error())).await?;
    Ok(())
}

/// How far a batch that has expired came.
fn not_run(row: &batch::Model) -> String {
    let left = row.total - row.completed - row.failed;
    format!("{left} of {} items had not run when the batch expired; they can be submitted again", row.total)
}

fn publish(events: &Events, account: &AccountId, batch: &str) {
    events.publish(Event::Progress { account: account.clone(), subject: batch.to_owned() });
    events.publish(Event::Balance { account: account.clone() });
}
