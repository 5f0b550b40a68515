//! The job that ends a batch: when its last chunk has ended, or when its time is up.

use async_trait::async_trait;
use entity::batch;
use sea_orm::DatabaseTransaction;

use super::store::{self, BatchStatus, job_of};
use crate::{
    Result,
    background::job::{self, Ending, Failure, Handler, Job, JobRun, Kind},
    foundation::{
        database::Database,
        events::{Event, Events},
    },
    money::credits::Credits,
};
use ports::id::AccountId;

/// Ends batches. An operator who runs the job early ends the batch as expired.
pub struct FinishBatch {
    pub db: Database,
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
        write_end(&self.db, tx, &job.subject, ending).await
    }

    fn announce(&self, job: &Job, _: &Ending) {
        if let Some(account) = &job.account {
            publish(&self.events, account, &job.subject);
        }
    }
}

/// Ends a batch whose last chunk has ended, or whose time is up, in place of its job, which may wait behind the chunks of
/// many other batches.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer; the job then ends the batch.
pub(super) async fn finish_now(
    db: &Database,
    credits: &Credits,
    events: &Events,
    batch: &batch::Model,
) -> Result<()> {
    let account = AccountId::from(batch.account_id.clone());
    let job = job_of(batch);
    let tx = db.begin().await?;
    credits.end_job_hold(&tx, &account, &job).await?;
    if job::end_queued(&tx, &job, &Ending::Succeeded).await?.is_none() {
        return Ok(());
    }
    write_end(db, &tx, &batch.id, &Ending::Succeeded).await?;
    tx.commit().await?;
    publish(events, &account, &batch.id);
    Ok(())
}

/// Writes what the end of the job means for the batch.
async fn write_end(db: &Database, tx: &DatabaseTransaction, id: &str, ending: &Ending) -> Result<()> {
    let Some(row) = store::lock(tx, id).await? else { return Ok(()) };
    let (status, error) = match ending {
        Ending::Succeeded if row.chunks_left == 0 => (BatchStatus::Completed, None),
        Ending::Succeeded => (BatchStatus::Expired, None),
        Ending::Failed(why) => (BatchStatus::Failed, Some(why.clone())),
        Ending::Cancelled => (BatchStatus::Cancelled, None),
    };
    store::end(db, tx, id, status, error).await?;
    Ok(())
}

fn publish(events: &Events, account: &AccountId, batch: &str) {
    events.publish(Event::Progress { account: account.clone(), subject: batch.to_owned() });
    events.publish(Event::Balance { account: account.clone() });
}
