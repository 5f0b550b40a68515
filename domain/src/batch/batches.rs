//! Finds, lists and cancels batches.

use std::sync::Arc;

use super::{
    access::BatchAccess,
    ending,
    files::Files,
    limits::BatchLimits,
    results::Results,
    store::{self, Batch, BatchStatus, job_of},
    wire::WireFormat,
};
use crate::{
    Code, Error, Result,
    background::job::{self, PaidJobs},
    foundation::{
        events::Event,
        page::{Page, Slice},
    },
    learning::judge::Judges,
    operations::{inference::Inference, moderation::policies::Policies},
};
use ports::id::{AccountId, BatchId};

/// The batches of a deployment. Cheap to clone.
#[derive(Clone)]
pub struct Batches {
    pub paid: PaidJobs,
    pub judges: Judges,
    pub policies: Policies,
    pub inference: Inference,
    pub wire: Arc<dyn WireFormat>,
    pub files: Files,
    pub limits: BatchLimits,
}

impl Batches {
    /// A batch.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn find(&self, access: &BatchAccess, id: &BatchId) -> Result<Batch> {
        store::find_row(&self.paid.db, access, id).await?.try_into()
    }

    /// Reads batches of an account; ids that do not exist are left out.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn find_many(&self, account: &AccountId, ids: &[BatchId]) -> Result<Vec<Batch>> {
        store::find_many(&self.paid.db, account, ids).await
    }

    /// A page of batches, newest first; keys are ids.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn list(&self, access: &BatchAccess, page: Page<String>) -> Result<Slice<Batch>> {
        store::list(&self.paid.db, access, page).await
    }

    /// The number of batches.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn count(&self, access: &BatchAccess) -> Result<u64> {
        store::count(&self.paid.db, access).await
    }

    /// The results that a batch has so far.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn results(&self, access: &BatchAccess, id: &BatchId) -> Result<Results> {
        let batch = self.find(access, id).await?;
        Ok(Results::new(self.paid.db.clone(), batch))
    }

    /// Cancels a batch: what has run stays and is charged, and the rest of its credits is released. A batch that was
    /// cancelled before is left as it is.
    ///
    /// # Errors
    /// `NOT_FOUND`; `CONFLICT` when it has ended otherwise.
    pub async fn cancel(&self, access: &BatchAccess, id: &BatchId) -> Result<Batch> {
        job::retried(|| self.try_cancel(access, id)).await?;
        let account = access.account.clone();
        self.paid.events.publish(Event::Progress { account, subject: id.to_string() });
        let batch = self.find(access, id).await?;
        match batch.status {
            BatchStatus::Cancelled => Ok(batch),
            status => {
                let message = format!("the batch has already ended: {}", status.as_str());
                Err(Error::new(Code::Conflict, message))
            }
        }
    }

    async fn try_cancel(&self, access: &BatchAccess, id: &BatchId) -> Result<()> {
        let db = &self.paid.db;
        let row = store::find_row(db, access, id).await?;
        if !store::OPEN.contains(&row.status.as_str()) {
            return Ok(());
        }
        let tx = db.begin().await?;
        self.paid.billing.credits.end_job_hold(&tx, &access.account, &job_of(&row)).await?;
        if ending::end(&self.files, &tx, id.as_str(), BatchStatus::Cancelled, None).await? {
            tx.commit().await?;
        }
        Ok(())
    }
}
