//! Submits batches.

use std::io::Read;

use chrono::Utc;
use entity::batch;
use sea_orm::{ActiveValue::Set, ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    access::{BatchAccess, Submitter},
    batches::Batches,
    file_content::FileContent,
    item::ItemCounts,
    read::Format,
    staging::{self, ItemSource, Staged},
    store::{self, Batch, BatchStatus, UPLOADING},
    stored_file::FileKind,
};
use crate::{
    Code, Error, Result,
    background::job::{JobKind, NewJob, PaidWork},
    foundation::events::Event,
    money::{amount::Amount, billing::FinishFlag, idempotency::Once, pricing::Operation},
    operations::moderation::MixedPrices,
};
use ports::id::{AccountId, FileId, JobId};

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

/// The file that a batch is read from, and what the client said of it.
#[derive(Clone, Debug, Serialize)]
pub struct FromFile {
    pub file: FileId,
    /// The path of all items.
    pub endpoint: String,
    pub metadata: Map<String, Value>,
}

impl Batches {
    /// Submits the items of an uploaded file, as [`Self::submit`].
    ///
    /// # Errors
    /// `NOT_FOUND` without such a file; `VALIDATION_FAILED` for one that was not uploaded; those of [`Self::submit`].
    pub async fn submit_file(
        &self,
        submitter: Submitter,
        access: &BatchAccess,
        options: SubmitOptions,
        from: FromFile,
    ) -> Result<Batch> {
        let file = self.files.find(access, &from.file).await?;
        if file.kind != FileKind::Input {
            return Err(Error::invalid(
                "input_file_id",
                "must be a file with the purpose batch, not batch_output",
            ));
        }
        let reader = FileContent::uploaded(self.paid.db.clone(), file.id).reader();
        self.submit_items(submitter, options, Some(from), reader).await
    }

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
        self.submit_items(submitter, options, None, file).await
    }

    /// Submits the items of a body, or those of an uploaded file.
    async fn submit_items(
        &self,
        submitter: Submitter,
        options: SubmitOptions,
        from: Option<FromFile>,
        file: impl Read + Send + 'static,
    ) -> Result<Batch> {
        let SubmitOptions { format, once, finish } = options;
        let (open, bytes) = store::usage(self.paid.db.read(), &submitter.account).await?;
        self.require_room(open, bytes)?;
        let endpoint = from.as_ref().map(|from| from.endpoint.clone());
        let staged = staging::stage(self, &submitter, ItemSource { format, endpoint }, file).await?;
        let upload = Upload { batches: self, submitter: &submitter, staged, from, finish };
        self.paid.submit(&upload, once).await
    }

    fn require_room(&self, open: u64, bytes: i64) -> Result<()> {
        let most = self.limits.open;
        if open >= most {
            let message = format!(
                "the account has {open} unfinished batches, and at most {most} are allowed (`bulk_open`): wait for one"
            );
            return Err(Error::new(Code::Conflict, message));
        }
        self.limits.require_bytes(bytes)
    }
}

/// An uploaded batch that is not visible yet.
struct Upload<'a> {
    batches: &'a Batches,
    submitter: &'a Submitter,
    staged: Staged,
    from: Option<FromFile>,
    finish: FinishFlag,
}

/// What makes two submissions the same.
#[derive(Serialize)]
#[serde(untagged)]
enum Fingerprint<'a> {
    Body(&'a str),
    File(&'a str, &'a FromFile),
}

/// The prices of a batch.
struct BatchPrices {
    text: Amount,
    picture: Amount,
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
        match &self.from {
            Some(from) => Fingerprint::File(&self.staged.hash, from),
            None => Fingerprint::Body(&self.staged.hash),
        }
    }

    async fn plan(&self) -> Result<(BatchPrices, Amount)> {
        let prices = &self.batches.paid.billing.prices;
        let ItemCounts { texts, pictures, inferences, surcharge, .. } = self.staged.uploaded.counts;
        let mixed = MixedPrices::read(prices).await?;
        let inference = prices.of(Operation::Inference).await?;
        let all = mixed.of(texts, pictures)?.plus(inference.times(inferences)?)?.plus(surcharge)?;
        Ok((BatchPrices { text: mixed.text, picture: mixed.picture, inference, all }, all))
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
        let metadata = self.from.as_ref().map_or(&staged.uploaded.metadata, |from| &from.metadata);
        let row = batch::ActiveModel {
            job_id: Set(root.to_string()),
            status: Set(BatchStatus::Queued.as_str().to_owned()),
            total: Set(i32::try_from(staged.total).map_err(Error::internal)?),
            chunks_left: Set(staged.chunks),
            text_price: Set(prices.text.milli()),
            image_price: Set(prices.picture.milli()),
            inference_price: Set(prices.inference.milli()),
            held: Set(prices.all.milli()),
            bytes: Set(size),
            input_file: Set(self.from.as_ref().map(|from| from.file.to_string())),
            endpoint: Set(self.from.as_ref().map(|from| from.endpoint.clone())),
            metadata: Set(serde_json::to_string(metadata).map_err(Error::internal)?),
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
