//! The job that runs a chunk of a batch. Its results are charged and stored in one commit, which also ends the job: a
//! repeated run charges nothing twice.

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::Utc;
use entity::{batch, batch_chunk};
use lru::LruCache;
use parking_lot::Mutex;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, sea_query::Expr};
use serde::Deserialize;
use tokio::time::Instant;

use super::{
    batches::Batches,
    execute::{Answer, AnsweredItems, Executor, Outcomes},
    lines,
    side_table::{self, ChunkResults},
    store::{self, BatchStatus, OPEN, job_of},
    submit::ENDPOINT,
};
use crate::{
    Code, Error, Result,
    background::job::{Ending, Failure, Handler, Job, JobEnd, JobKind, JobRun, JobSubject},
    foundation::{allowed_backends::AllowedBackends, events::Event, tenant::Tenant},
    money::{
        amount::Amount,
        credits::{EntryKind, LedgerEntry, Payer, SideRow},
    },
    operations::moderation::{MixedModeration, MixedPrices},
};
use ports::id::{AccountId, JobId};

/// Chunks to be run again whose answers this process keeps, at most: some megabytes each.
const CHUNKS_KEPT: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// How long a run asks for answers. The rest of the job's timeout is for those that it has asked for already.
const RUN_TIME: Duration = Duration::from_secs(480);
/// The pause before the next run of a chunk whose items were not all answered in time.
const NEXT_RUN: Duration = Duration::from_secs(1);

/// Runs chunks.
pub struct RunBatchChunk {
    batches: Batches,
    mixed: MixedModeration,
    /// What was answered in chunks of which some items failed and are to be tried again, so that no backend is asked
    /// twice. A process that does not have it asks again.
    answered: Mutex<LruCache<JobId, AnsweredItems>>,
}

impl RunBatchChunk {
    pub fn new(batches: Batches, mixed: MixedModeration) -> Self {
        Self { batches, mixed, answered: Mutex::new(LruCache::new(CHUNKS_KEPT)) }
    }
}

#[derive(Deserialize)]
struct Payload {
    chunk: i32,
}

#[async_trait]
impl Handler for RunBatchChunk {
    fn kind(&self) -> JobKind {
        JobKind::RunBatchChunk
    }

    async fn run(&self, run: &JobRun) -> Result<(), Failure> {
        let Some((batch, chunk)) = self.read(&run.job).await? else {
            return Err(Failure::Obsolete);
        };
        if chunk.results.is_some() {
            return Ok(());
        }
        if !OPEN.contains(&batch.status.as_str()) {
            return Err(Failure::Obsolete);
        }
        if batch.expires_at <= Utc::now() {
            self.finish(&batch).await;
            return Err(Failure::Obsolete);
        }
        self.begin(&batch).await?;
        let entry = self.execute(run, &batch, chunk).await?;
        match self.batches.paid.billing.credits.charge_job(&job_of(&batch), entry).await {
            Ok(_) => {
                self.finish_last(&batch.id).await;
                Ok(())
            }
            // The batch was cancelled or has expired, or its account was erased.
            Err(error) if matches!(error.code, Code::Conflict | Code::NotFound) => Err(Failure::Obsolete),
            Err(error) => Err(Failure::Retry(error)),
        }
    }

    fn subject(&self) -> &dyn JobSubject {
        self
    }
}

#[async_trait]
impl JobSubject for RunBatchChunk {
    /// A chunk that could not be run has failed items; its batch goes on.
    async fn ended(&self, tx: &DatabaseTransaction, job: &Job, ending: &Ending) -> Result<()> {
        let why = match ending {
            Ending::Succeeded => return Ok(()),
            Ending::Failed(why) => why.as_str(),
            Ending::Cancelled => "the operator has cancelled this part of the batch",
        };
        let open = store::lock(tx, &job.subject).await?.filter(|row| OPEN.contains(&row.status.as_str()));
        let Some(batch) = open else { return Ok(()) };
        let Some(number) = chunk_of(job) else { return Ok(()) };
        let chunk = batch_chunk::Entity::find_by_id((batch.id.clone(), number)).one(tx).await?;
        let Some(chunk) = chunk.filter(|chunk| chunk.results.is_none()) else { return Ok(()) };
        let error = Error::new(Code::InternalError, why);
        let mut results = ChunkResults::new(&chunk);
        for item in lines::items(&chunk.items)? {
            let wire = self.batches.wire.as_ref();
            results.results.push_str(&lines::failed(wire, &item, &job.charge_id(), &error)?);
        }
        results.failed = chunk.total;
        Ok(side_table::write(&self.batches.paid.db, tx, &results.counted()?).await?)
    }

    fn announce(&self, job: &Job) {
        self.batches.paid.publish_progress(job);
    }
}

impl RunBatchChunk {
    async fn read(&self, job: &Job) -> Result<Option<(batch::Model, batch_chunk::Model)>> {
        let db = &self.batches.paid.db;
        let Some(number) = chunk_of(job) else { return Ok(None) };
        let chunk = batch_chunk::Entity::find_by_id((job.subject.clone(), number)).one(db.read());
        let Some(chunk) = db.in_time(chunk).await? else { return Ok(None) };
        let batch = batch::Entity::find_by_id(job.subject.as_str()).one(db.read());
        Ok(db.in_time(batch).await?.map(|batch| (batch, chunk)))
    }

    /// Runs the items of a chunk; returns the charge for them, with their results and the end of the job.
    async fn execute(
        &self,
        run: &JobRun,
        batch: &batch::Model,
        chunk: batch_chunk::Model,
    ) -> Result<LedgerEntry, Failure> {
        let account = AccountId::from(batch.account_id.clone());
        let backends = AllowedBackends::of(&self.batches.paid.db, &account, &batch.submitted_by).await?;
        let tenant = Tenant { account: account.clone(), backends };
        let request_id = run.job.charge_id();
        let items = lines::items(&chunk.items)?;
        let wire = self.batches.wire.as_ref();
        let executor = Executor {
            judges: &self.batches.judges,
            mixed: &self.mixed,
            inference: &self.batches.inference,
            wire,
            run,
            tenant: &tenant,
            request_id: &request_id,
            prices: MixedPrices {
                text: Amount::from_milli(batch.text_price),
                picture: Amount::from_milli(batch.image_price),
            },
            inference_price: Amount::from_milli(batch.inference_price),
            expires_at: batch.expires_at,
            until: Instant::now() + RUN_TIME,
            remaining: self.batches.paid.billing.credits.available(&account).await?,
        };
        let answered = self.answered.lock().pop(&run.job.id).unwrap_or_default();
        let Outcomes { items: outcomes, transient } = executor.execute(&items, answered).await?;
        if transient && executor.is_out_of_time() {
            // A slow or busy backend is no failure of the chunk.
            self.keep_answered(&run.job.id, outcomes);
            return Err(Failure::Postponed(NEXT_RUN));
        }
        let last = run.job.attempts >= run.job.max_attempts;
        if transient && !last {
            return Err(Failure::Retry(self.keep_answered(&run.job.id, outcomes)));
        }
        let mut results = ChunkResults::new(&chunk);
        let mut side_rows: Vec<SideRow> = Vec::new();
        let mut charged_items = 0;
        for (item, outcome) in items.iter().zip(outcomes) {
            let line = match outcome {
                Ok(answer) => {
                    results.completed += 1;
                    results.charged += answer.price.milli();
                    charged_items += answer.items as u64;
                    side_rows.extend(answer.side_rows);
                    lines::answered(&item.custom_id, &request_id, &answer.body)
                }
                Err(error) => {
                    results.failed += 1;
                    lines::failed(wire, item, &request_id, &error)?
                }
            };
            results.results.push_str(&line);
        }
        let cost = Amount::from_milli(-results.charged);
        let mut entry = LedgerEntry::new(account, request_id, EntryKind::Charge, cost);
        entry.items = charged_items;
        entry.reference = Some(format!("{}/{}", batch.id, chunk.number));
        entry.endpoint = Some(ENDPOINT.into());
        entry.payer = Payer::named(&batch.submitted_by);
        side_rows.push(Arc::new(results.counted()?));
        side_rows.push(Arc::new(JobEnd { job: run.job.id.clone(), token: run.token.clone() }));
        entry.side_rows = side_rows;
        Ok(entry)
    }

    /// Keeps the answers of a chunk for its next run; returns the first failure.
    fn keep_answered(&self, job: &JobId, outcomes: Vec<Result<Answer>>) -> Error {
        let mut answered = AnsweredItems::new();
        let mut first = None;
        for (index, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Ok(answer) => {
                    answered.insert(index, answer);
                }
                Err(error) => {
                    first.get_or_insert(error);
                }
            }
        }
        self.answered.lock().put(job.clone(), answered);
        first.unwrap_or_else(|| Error::internal("some items failed"))
    }

    /// Marks the batch as running, if this is its first chunk.
    async fn begin(&self, batch: &batch::Model) -> Result<()> {
        let queued = BatchStatus::Queued.as_str();
        if batch.status != queued {
            return Ok(());
        }
        let begun = batch::Entity::update_many()
            .col_expr(batch::Column::Status, Expr::value(BatchStatus::Running.as_str()))
            .col_expr(batch::Column::StartedAt, Expr::value(Utc::now()))
            .filter(batch::Column::Id.eq(batch.id.as_str()))
            .filter(batch::Column::Status.eq(queued));
        let db = &self.batches.paid.db;
        if db.in_time(begun.exec(db.write())).await?.rows_affected > 0 {
            let account = AccountId::from(batch.account_id.clone());
            self.batches.paid.events.publish(Event::Progress { account, subject: batch.id.clone() });
        }
        Ok(())
    }

    /// Ends the batch when this was the last chunk.
    async fn finish_last(&self, id: &str) {
        let db = &self.batches.paid.db;
        let batch = batch::Entity::find_by_id(id).one(db.read());
        if let Ok(Some(batch)) = db.in_time(batch).await
            && batch.chunks_left == 0
        {
            self.finish(&batch).await;
        }
    }

    /// Ends the batch. If that fails, its job does so later.
    async fn finish(&self, batch: &batch::Model) {
        if let Err(error) = self.batches.finish_now(batch).await {
            tracing::debug!(batch = batch.id, %error, "could not end a batch; its job will");
        }
    }
}

fn chunk_of(job: &Job) -> Option<i32> {
    Payload::deserialize(&job.payload).ok().map(|payload| payload.chunk)
}
