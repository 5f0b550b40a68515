//! The job that runs a chunk of a batch. What it did is charged and stored in one commit, which also ends the job: run again
//! after a crash, it charges nothing twice.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::Utc;
use entity::{batch, batch_chunk};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, sea_query::Expr};
use serde::Deserialize;

use super::{
    execute::{Executor, Outcomes},
    finish_job, lines,
    side_table::{self, ChunkResults},
    store::{self, BatchStatus, OPEN, job_of},
    submit::ENDPOINT,
    wire::WireFormat,
};
use crate::{
    Code, Error, Result,
    background::job::{Ending, Failure, Handler, Job, JobEnd, JobRun, Kind},
    foundation::{
        database::Database,
        events::{Event, Events},
    },
    money::{
        amount::Amount,
        billing::Billing,
        credits::{Entry, Kind as EntryKind, Payer, SideRow},
    },
    operations::{inference::Inference, moderation::TextModeration},
};
use ports::id::{AccountId, BatchId, JobId, RequestId};

/// Runs chunks.
pub struct RunBatchChunk {
    pub db: Database,
    pub billing: Arc<Billing>,
    pub events: Events,
    pub text: TextModeration,
    pub inference: Inference,
    pub wire: Arc<dyn WireFormat>,
}

#[derive(Deserialize)]
struct Payload {
    chunk: i32,
}

#[async_trait]
impl Handler for RunBatchChunk {
    fn kind(&self) -> Kind {
        Kind::RunBatchChunk
    }

    async fn run(&self, run: &JobRun) -> Result<(), Failure> {
        let Some((batch, chunk)) = self.read(&run.job).await? else {
            return Err(Failure::Fatal("the batch was deleted".to_owned()));
        };
        if chunk.results.is_some() {
            return Ok(());
        }
        if !OPEN.contains(&batch.status.as_str()) {
            return Err(Failure::Fatal("the batch has ended".to_owned()));
        }
        if batch.expires_at <= Utc::now() {
            self.finish(&batch).await;
            return Err(Failure::Fatal("the batch has expired".to_owned()));
        }
        self.begin(&batch).await?;
        let account = AccountId::from(batch.account_id.clone());
        let request_id = charge_id(&run.job.id);
        let items = lines::items(&chunk.items)?;
        let executor = Executor {
            db: &self.db,
            text: &self.text,
            inference: &self.inference,
            wire: self.wire.as_ref(),
            run,
            account: &account,
            request_id: &request_id,
            text_price: Amount::from_milli(batch.text_price),
            inference_price: Amount::from_milli(batch.inference_price),
            remaining: self.billing.credits.available(&account).await?,
        };
        let Outcomes { items: outcomes, transient } = executor.execute(&items).await?;
        let last = run.job.attempts >= run.job.max_attempts;
        if transient && !last {
            let first = outcomes.into_iter().find_map(Result::err);
            return Err(Failure::Retry(first.unwrap_or_else(|| Error::internal("some items failed"))));
        }
        let mut results = ChunkResults {
            batch: BatchId::from(batch.id.clone()),
            number: chunk.number,
            results: String::new(),
            completed: 0,
            failed: 0,
            charged: 0,
            item_bytes: chunk.items.len(),
        };
        let mut side_rows: Vec<SideRow> = Vec::new();
        for (item, outcome) in items.iter().zip(outcomes) {
            let line = match outcome {
                Ok(answer) => {
                    results.completed += 1;
                    results.charged += answer.price.milli();
                    side_rows.extend(answer.side_row);
                    lines::answered(&item.custom_id, &request_id, &answer.body)
                }
                Err(error) => {
                    results.failed += 1;
                    lines::failed(self.wire.as_ref(), &item.custom_id, &request_id, &error)?
                }
            };
            results.results.push_str(&line);
        }
        let cost = Amount::from_milli(-results.charged);
        let root = job_of(&batch);
        let mut entry = Entry::new(account, request_id, EntryKind::Charge, cost);
        entry.reference = Some(format!("{}/{}", batch.id, chunk.number));
        entry.endpoint = Some(ENDPOINT.into());
        entry.payer = Payer::named(&batch.submitted_by);
        side_rows.push(Arc::new(results));
        side_rows.push(Arc::new(JobEnd { job: run.job.id.clone(), token: run.token.clone() }));
        entry.side_rows = side_rows;
        match self.billing.credits.charge_job(&root, entry).await {
            Ok(_) => {
                self.finish_last(&batch.id).await;
                Ok(())
            }
            // The batch was cancelled or has expired, or its account was erased.
            Err(error) if matches!(error.code, Code::Conflict | Code::NotFound) => {
                Err(Failure::Fatal(error.message))
            }
            Err(error) => Err(Failure::Retry(error)),
        }
    }

    /// A chunk that could not be run has failed items; its batch goes on.
    async fn ended(&self, tx: &DatabaseTransaction, job: &Job, ending: &Ending) -> Result<()> {
        let why = match ending {
            Ending::Succeeded => return Ok(()),
            Ending::Failed(why) => why.as_str(),
            Ending::Cancelled => "the operator has cancelled this part of the batch",
        };
        let open = store::lock(tx, &job.subject).await?.filter(|row| OPEN.contains(&row.status.as_str()));
        let (Some(batch), Some(number)) = (open, chunk_of(job)) else { return Ok(()) };
        let chunk = batch_chunk::Entity::find_by_id((batch.id.clone(), number)).one(tx).await?;
        let Some(chunk) = chunk.filter(|chunk| chunk.results.is_none()) else { return Ok(()) };
        let request_id = charge_id(&job.id);
        let error = Error::new(Code::InternalError, why);
        let mut results = String::new();
        for item in lines::items(&chunk.items)? {
            results.push_str(&lines::failed(self.wire.as_ref(), &item.custom_id, &request_id, &error)?);
        }
        let results = ChunkResults {
            batch: BatchId::from(batch.id),
            number,
            results,
            completed: 0,
            failed: chunk.total,
            charged: 0,
            item_bytes: chunk.items.len(),
        };
        Ok(side_table::write(&self.db, tx, &results).await?)
    }

    fn announce(&self, job: &Job, _: &Ending) {
        if let Some(account) = job.account.clone() {
            self.events.publish(Event::Progress { account, subject: job.subject.clone() });
        }
    }
}

impl RunBatchChunk {
    async fn read(&self, job: &Job) -> Result<Option<(batch::Model, batch_chunk::Model)>> {
        let Some(number) = chunk_of(job) else { return Ok(None) };
        let chunk = batch_chunk::Entity::find_by_id((job.subject.clone(), number)).one(self.db.read());
        let Some(chunk) = self.db.in_time(chunk).await? else { return Ok(None) };
        let batch = batch::Entity::find_by_id(job.subject.as_str()).one(self.db.read());
        Ok(self.db.in_time(batch).await?.map(|batch| (batch, chunk)))
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
        if self.db.in_time(begun.exec(self.db.write())).await?.rows_affected > 0 {
            let account = AccountId::from(batch.account_id.clone());
            self.events.publish(Event::Progress { account, subject: batch.id.clone() });
        }
        Ok(())
    }

    /// Ends the batch when this was the last chunk.
    async fn finish_last(&self, id: &str) {
        let batch = batch::Entity::find_by_id(id).one(self.db.read());
        if let Ok(Some(batch)) = self.db.in_time(batch).await
            && batch.chunks_left == 0
        {
            self.finish(&batch).await;
        }
    }

    /// Ends the batch. If that fails, its job does so later.
    async fn finish(&self, batch: &batch::Model) {
        let finished = finish_job::finish_now(&self.db, &self.billing.credits, &self.events, batch).await;
        if let Err(error) = finished {
            tracing::debug!(batch = batch.id, %error, "a batch is ended later");
        }
    }
}

fn chunk_of(job: &Job) -> Option<i32> {
    Payload::deserialize(&job.payload).ok().map(|payload| payload.chunk)
}

/// The request id of a chunk's charge: always the same, so that it is charged once.
fn charge_id(job: &JobId) -> RequestId {
    let id = job.as_str();
    RequestId::from(format!("req_{}", id.split_once('_').map_or(id, |(_, id)| id)))
}
