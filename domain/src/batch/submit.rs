//! Submits batches.

use std::io::Read;

use chrono::Utc;
use entity::batch;
use sea_orm::{ActiveValue::Set, ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use serde::Serialize;
use serde_json::json;

use super::{
    access::Submitter,
    batches::Batches,
    limits::BatchLimits,
    read::Format,
    staging::{self, Staged},
    store::{self, Batch, BatchStatus, UPLOADING},
};
use crate::{
    Code, Error, Result,
    background::job::{JobKind, NewJob, PaidWork},
    foundation::events::Event,
    money::{amount::Amount, billing::FinishFlag, idempotency::Once, pricing::Operation},
};
use ports::id::{AccountId, JobId};

/// The name of submissions in the ledger and under an `Idempotency-Key`.
pub(super) const ENDPOINT: &str = "/api/v1/batches";

/// The options of a submission.
pub struct SubmitOptions {
    pub format: Format,
    /// The client's `Idempotency-Key`, if it sent one.
    pub once: Option<Once>,
    /// Set by the request's timeout, or when the batch is about to be submitted.
    pub finish: FinishFlag,
}

impl Batches {
    /// Submits a batch: all of it, or nothing when any item is invalid or its credits are not there. Its credits are
    /// held until it ends.
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
        let SubmitOptions { format, once, finish } = options;
        let (open, bytes) = store::usage(self.paid.db.read(), &submitter.account).await?;
        self.require_room(open, bytes)?;
        let staged = staging::stage(self, &submitter, format, file).await?;
        let upload = Upload { batches: self, submitter: &submitter, staged, finish };
        self.paid.submit(&upload, once).await
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
                "the account's batches take {bytes} bytes and may take {account_bytes} (`bulk_account_bytes`): \
                 old ones are deleted by and by"
            );
            return Err(Error::new(Code::Conflict, message));
        }
        Ok(())
    }
}

/// An uploaded batch that is not visible yet.
struct Upload<'a> {
    batches: &'a Batches,
    submitter: &'a Submitter,
    staged: Staged,
    finish: FinishFlag,
}

/// The prices of a batch.
struct BatchPrices {
    text: Amount,
    inference: Amount,
    /// Of all items.
    all: Amount,
}

impl PaidWork for Upload<'_> {
    type Plan = BatchPrices;
    type Submitted = Batch;

    const ROUTE: &'static str = ENDPOINT;
    const PURPOSE: &'static str = "bulk batch";

    fn account(&self) -> &AccountId {
        &self.submitter.account
    }

    fn fingerprint(&self) -> impl Serialize + Send + Sync {
        &self.staged.hash
    }

    async fn plan(&self) -> Result<(BatchPrices, Amount)> {
        let prices = &self.batches.paid.billing.prices;
        let text = prices.of(Operation::Text).await?;
        let inference = prices.of(Operation::Inference).await?;
        let texts = text.times(self.staged.uploaded.texts)?;
        let all = texts.plus(inference.times(self.staged.uploaded.inferences)?)?;
        Ok((BatchPrices { text, inference, all }, all))
    }

    /// Makes the staged batch visible.
    async fn write(
        &self,
        tx: &DatabaseTransaction,
        prices: BatchPrices,
        root: JobId,
    ) -> Result<(Batch, Vec<NewJob>)> {
        if !self.finish.set() {
            return Err(Error::new(
                Code::Overloaded,
                "the request was cancelled before the batch was submitted",
            ));
        }
        let staged = &self.staged;
        // The account is locked, so its limits are exact.
        let (open, bytes) = store::usage(tx, self.account()).await?;
        let size = i64::try_from(staged.uploaded.bytes).map_err(Error::internal)?;
        self.batches.require_room(open, bytes.saturating_add(size))?;
        let expiry = self.batches.limits.expiry;
        let now = Utc::now();
        let row = batch::ActiveModel {
            job_id: Set(root.to_string()),
            status: Set(BatchStatus::Queued.as_str().to_owned()),
            total: Set(i32::try_from(staged.total).map_err(Error::internal)?),
            chunks_left: Set(staged.chunks),
            text_price: Set(prices.text.milli()),
            inference_price: Set(prices.inference.milli()),
            held: Set(prices.all.milli()),
            bytes: Set(size),
            metadata: Set(serde_json::to_string(&staged.uploaded.metadata).map_err(Error::internal)?),
            created_at: Set(now),
            expires_at: Set(now + expiry),
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
        let mut jobs = vec![NewJob {
            id: root,
            delay_ms: expiry.num_milliseconds(),
            ..NewJob::new(JobKind::FinishBatch, self.account(), staged.id.as_str())
        }];
        jobs.extend((0..staged.chunks).map(|number| NewJob {
            payload: json!({ "chunk": number }),
            ..NewJob::new(JobKind::RunBatchChunk, self.account(), staged.id.as_str())
        }));
        Ok((Batch::try_from(row)?, jobs))
    }

    fn committed(&self) {
        self.staged.keep();
        self.batches.paid.events.publish(Event::Balance { account: self.account().clone() });
    }
}
