//! Ends batches, and what comes with an end: the files with the results, and webhooks.

use chrono::Utc;
use entity::{batch, batch_chunk, file};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr,
};
use serde_json::{Value, json};

use super::{
    files::Files,
    openai_lines,
    store::{Batch, BatchStatus},
    stored_file::FileKind,
};
use crate::{
    Result,
    background::{
        job,
        webhook::{self, EventType},
    },
};
use ports::id::FileId;

/// Ends a batch on the transaction that ends its hold: cancels its jobs, writes its files and queues its webhooks.
/// False when it has ended before. Its account should be locked.
pub(super) async fn end(
    files: &Files,
    tx: &impl ConnectionTrait,
    id: &str,
    status: BatchStatus,
    error: Option<&str>,
) -> Result<bool> {
    if !job::end_subject::<batch::Entity>(tx, id, status.as_str(), error).await? {
        return Ok(false);
    }
    job::cancel_all(tx, id).await?;
    let ended = batch::Entity::find_by_id(id).one(tx).await?;
    let Some(row) = ended else { return Ok(true) };
    if row.input_file.is_some() {
        write_files(files, tx, &row, status).await?;
    }
    if let Some(event) = event_type(status) {
        let batch = Batch::try_from(row)?;
        webhook::enqueue(&files.db, tx, &batch.account, event, event_data(&batch)).await?;
    }
    Ok(true)
}

/// The event that reports an end; none for the open statuses.
fn event_type(status: BatchStatus) -> Option<EventType> {
    match status {
        BatchStatus::Queued | BatchStatus::Running => None,
        BatchStatus::Completed => Some(EventType::BatchCompleted),
        BatchStatus::Failed => Some(EventType::BatchFailed),
        BatchStatus::Cancelled => Some(EventType::BatchCancelled),
        BatchStatus::Expired => Some(EventType::BatchExpired),
    }
}

/// What a webhook reports of a batch, under the names of the REST API.
fn event_data(batch: &Batch) -> Value {
    json!({
        "id": batch.id,
        "status": batch.status,
        "total": batch.total,
        "counts": { "completed": batch.completed, "failed": batch.failed },
        "credits_charged": batch.charged.credits(),
        "metadata": batch.metadata,
        "error": batch.error,
        "created_at": batch.created_at,
        "started_at": batch.started_at,
        "finished_at": batch.finished_at,
    })
}

/// Writes the files with the results of a batch, except empty ones. Their lines stay in its chunks.
async fn write_files(
    files: &Files,
    tx: &impl ConnectionTrait,
    batch: &batch::Model,
    status: BatchStatus,
) -> Result<()> {
    let (items, id_bytes) = not_run(tx, &batch.id).await?;
    let not_run_bytes = openai_lines::not_run_bytes(&batch.id, status, items, id_bytes)?;
    let now = Utc::now();
    for (kind, name, lines, bytes) in [
        (FileKind::Output, "output", batch.completed.into(), batch.output_bytes),
        (FileKind::Errors, "error", i64::from(batch.failed) + items, batch.error_bytes + not_run_bytes),
    ] {
        if lines == 0 {
            continue;
        }
        let row = file::ActiveModel {
            id: Set(FileId::new().into()),
            account_id: Set(batch.account_id.clone()),
            submitted_by: Set(batch.submitted_by.clone()),
            kind: Set(kind.as_str().to_owned()),
            batch_id: Set(Some(batch.id.clone())),
            filename: Set(format!("{}_{name}.jsonl", batch.id)),
            bytes: Set(bytes),
            ready: Set(true),
            created_at: Set(now),
            // The foreign key deletes it with its batch.
            expires_at: Set(now + files.limits.kept),
        };
        file::Entity::insert(row).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// The number of items without results, and the bytes of their names.
async fn not_run(tx: &impl ConnectionTrait, batch: &str) -> Result<(i64, i64)> {
    let sums: Option<(Option<i64>, Option<i64>)> = batch_chunk::Entity::find()
        .select_only()
        .expr(Expr::cust("CAST(SUM(total) AS BIGINT)"))
        .expr(Expr::cust("CAST(SUM(id_bytes) AS BIGINT)"))
        .filter(batch_chunk::Column::BatchId.eq(batch))
        .filter(batch_chunk::Column::Results.is_null())
        .into_tuple()
        .one(tx)
        .await?;
    let (items, id_bytes) = sums.unwrap_or_default();
    Ok((items.unwrap_or(0), id_bytes.unwrap_or(0)))
}
