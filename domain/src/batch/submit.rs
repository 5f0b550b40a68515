//! Submits batches, and looks after those that were.

use std::{io::Read, sync::Arc};

use chrono::Utc;
use entity::batch;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use super::{
    access::{BatchAccess, Submitter},
    limits::BatchLimits,
    read::Format,
    results::Results,
    staging::{self, Staged},
    store::{self, Batch, BatchStatus, UPLOADING, job_of},
    wire::WireFormat,
};
use crate::{
    Code, Error, Result,
    background::job::{self, Jobs, Kind, NewJob, Submission},
    foundation::{
        database::Database,
        events::{Event, Events},
        page::{Page, Slice},
    },
    money::{
        billing::{Billing, FinishFlag},
        credits::JobHold,
        idempotency::{Claim, Once, store_unpaid},
        pricing::Operation,
    },
    operations::inference::Inference,
};
use ports::id::{BatchId, JobId};

/// The name of submissions in the ledger and under an `Idempotency-Key`.
pub(super) const ENDPOINT: &str = "/api/v1/batches";

/// The batches of a deployment. Cheap to clone.
#[derive(Clone)]
pub struct Batches {
    pub db: Database,
    pub billing: Arc<Billing>,
    pub events: Events,
    pub jobs: Jobs,
    pub inference: Inference,
    pub wire: Arc<dyn WireFormat>,
    pub limits: BatchLimits,
}

/// The options of a submission.
pub struct SubmitOptions {
    pub format: Format,
    /// The client's `Idempotency-Key`, if it sent one.
    pub once: Option<Once>,
    /// Set by the request's timeout, or when the batch is about to be submitted.
    pub finish: FinishFlag,
}

impl Batches {
    /// Submits a batch: all of it, or nothing when any item is invalid or its credits are not there. Its credits are held
    /// until it ends.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` with the problems by line; `MALFORMED_BODY`; `FORBIDDEN` for items whose scope the submitter
    /// lacks; `INSUFFICIENT_CREDITS`; `CONFLICT` over the account's limits, and those of an `Idempotency-Key`.
    pub async fn submit(
        &self,
        submitter: Submitter,
        options: SubmitOptions,
        file: impl Read + Send + 'static,
    ) -> Result<Batch> {
        let (open, bytes) = store::usage(self.db.read(), &submitter.account).await?;
        self.require_room(open, bytes)?;
        let staged = staging::stage(self, &submitter, options.format, file).await?;
        let Some(once) = options.once else {
            return self.commit(&submitter, staged, &options.finish, None).await;
        };
        let hash = staged.hash.clone();
        let submitter = &submitter;
        let finish = &options.finish;
        let work = |claim| async move { self.commit(submitter, staged, finish, Some(&claim)).await };
        once.run(&submitter.account, ENDPOINT, &hash, work).await
    }

    /// A batch.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn find(&self, access: &BatchAccess, id: &BatchId) -> Result<Batch> {
        store::find_row(&self.db, access, id).await?.try_into()
    }

    /// A page of batches, newest first; keys are ids.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn list(&self, access: &BatchAccess, page: Page<String>) -> Result<Slice<Batch>> {
        store::list(&self.db, access, page).await
    }

    /// The number of batches.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn count(&self, access: &BatchAccess) -> Result<u64> {
        store::count(&self.db, access).await
    }

    /// The results that a batch has so far.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn results(&self, access: &BatchAccess, id: &BatchId) -> Result<Results> {
        let batch = self.find(access, id).await?;
        Ok(Results::new(self.db.clone(), batch))
    }

    /// Cancels a batch: what has run stays and is charged, and the rest of its credits is released. A batch that was
    /// cancelled before is left as it is.
    ///
    /// # Errors
    /// `NOT_FOUND`; `CONFLICT` when it has ended otherwise.
    pub async fn cancel(&self, access: &BatchAccess, id: &BatchId) -> Result<Batch> {
        job::retried(|| self.try_cancel(access, id)).await?;
        self.events.publish(Event::Progress { account: access.account.clone(), subject: id.to_string() });
        let batch = self.find(access, id).await?;
        match batch.status {
            BatchStatus::Cancelled => Ok(batch),
            status => {
                let message = format!("the batch has ended: it is {}", status.as_str());
                Err(Error::new(Code::Conflict, message))
            }
        }
    }

    async fn try_cancel(&self, access: &BatchAccess, id: &BatchId) -> Result<()> {
        let row = store::find_row(&self.db, access, id).await?;
        if !store::OPEN.contains(&row.status.as_str()) {
            return Ok(());
        }
        let tx = self.db.begin().await?;
        self.billing.credits.end_job_hold(&tx, &access.account, &job_of(&row)).await?;
        if store::end(&self.db, &tx, id.as_str(), BatchStatus::Cancelled, None).await? {
            tx.commit().await?;
        }
        Ok(())
    }

    fn require_room(&self, open: u64, bytes: i64) -> Result<()> {
        let BatchLimits { open: most, account_bytes, .. } = self.limits;
        if open >= most {
            let message = format!(
                "the account has {open} batches that have not ended, and may have {most} (`bulk_open`): wait for one"
            );
            return Err(Error::new(Code::Conflict, message));
        }
        if bytes >= account_bytes {
            let message = format!(
                "the account's batches take {bytes} bytes and may take {account_bytes} (`bulk_account_bytes`): old ones \
                 are deleted by and by"
            );
            return Err(Error::new(Code::Conflict, message));
        }
        Ok(())
    }

    /// Makes a staged batch visible, with its hold and its jobs.
    async fn commit(
        &self,
        submitter: &Submitter,
        staged: Staged,
        finish: &FinishFlag,
        claim: Option<&Claim>,
    ) -> Result<Batch> {
        let prices = &self.billing.prices;
        let text = prices.of(Operation::Text).await?;
        let inference = prices.of(Operation::Inference).await?;
        let texts = text.times(staged.uploaded.texts)?;
        let held = texts.plus(inference.times(staged.uploaded.inferences)?)?;
        let account = &submitter.account;
        let root = JobId::new();
        let hold =
            JobHold { account: account.clone(), job: root.clone(), amount: held, purpose: "bulk batch" };
        // Locks the account, so that its limits are exact.
        let submission = Submission::begin(&self.db, &self.billing.credits, hold).await?;
        if !finish.set() {
            return Err(Error::new(Code::Overloaded, "the request was given up before this was submitted"));
        }
        let tx = &submission.tx;
        let (open, bytes) = store::usage(tx, account).await?;
        let size = i64::try_from(staged.uploaded.bytes).map_err(Error::internal)?;
        self.require_room(open, bytes.saturating_add(size))?;
        let now = Utc::now();
        let row = batch::ActiveModel {
            job_id: Set(root.to_string()),
            status: Set(BatchStatus::Queued.as_str().to_owned()),
            total: Set(i32::try_from(staged.total).map_err(Error::internal)?),
            chunks_left: Set(staged.chunks),
            text_price: Set(text.milli()),
            inference_price: Set(inference.milli()),
            held: Set(held.milli()),
            bytes: Set(size),
            metadata: Set(serde_json::to_string(&staged.uploaded.metadata).map_err(Error::internal)?),
            created_at: Set(now),
            expires_at: Set(now + self.limits.expiry),
            ..Default::default()
        };
        let row = batch::Entity::update_many()
            .set(row)
            .filter(batch::Column::Id.eq(staged.id.as_str()))
            .filter(batch::Column::Status.eq(UPLOADING))
            .exec_with_returning(tx)
            .await?
            .pop();
        let row = row.ok_or_else(|| Error::new(Code::Overloaded, "the upload took too long"))?;
        let batch = Batch::try_from(row)?;
        let mut jobs = vec![NewJob {
            id: root,
            delay_ms: self.limits.expiry.num_milliseconds(),
            ..NewJob::new(Kind::FinishBatch, account, staged.id.as_str())
        }];
        jobs.extend((0..staged.chunks).map(|number| NewJob {
            payload: json!({ "chunk": number }),
            ..NewJob::new(Kind::RunBatchChunk, account, staged.id.as_str())
        }));
        if let Some(claim) = claim {
            store_unpaid(tx, claim, &serde_json::to_value(&batch).map_err(Error::internal)?).await?;
        }
        submission.commit(&self.db, &self.jobs, jobs).await?;
        staged.keep();
        self.events.publish(Event::Balance { account: account.clone() });
        Ok(batch)
    }
}
