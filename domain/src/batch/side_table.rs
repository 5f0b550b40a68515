//! Stores the results of chunks in the commits of their charges.

use async_trait::async_trait;
use entity::batch_chunk;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, FromQueryResult, QueryFilter,
    Statement, sea_query::Expr,
};

use super::openai_lines::{self, LineBytes};
use crate::{
    Result,
    background::job,
    foundation::{
        database::Database,
        events::{Event, Events},
    },
    money::credits::{PostedRow, SideTable},
};
use ports::id::{AccountId, BatchId, JobId};

/// The results of a chunk.
#[derive(Debug)]
pub struct ChunkResults {
    pub(super) batch: BatchId,
    pub(super) number: i32,
    /// JSON Lines, in the order of the items.
    pub(super) results: String,
    pub(super) completed: i32,
    pub(super) failed: i32,
    /// Milli-credits charged for it.
    pub(super) charged: i64,
    /// Bytes of its items, which are not kept.
    pub(super) item_bytes: usize,
    /// Bytes of the lines in the files of the batch.
    pub(super) line_bytes: LineBytes,
}

impl ChunkResults {
    /// The results of a chunk, empty at first.
    pub(super) fn new(chunk: &batch_chunk::Model) -> Self {
        Self {
            batch: BatchId::from(chunk.batch_id.clone()),
            number: chunk.number,
            results: String::new(),
            completed: 0,
            failed: 0,
            charged: 0,
            item_bytes: chunk.items.len(),
            line_bytes: LineBytes::default(),
        }
    }

    /// Counts the bytes of its lines, once it has them all.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` for lines that cannot be read.
    pub(super) fn counted(self) -> Result<Self> {
        let line_bytes = openai_lines::bytes(self.batch.as_str(), self.number, &self.results)?;
        Ok(Self { line_bytes, ..self })
    }
}

/// Writes the [`ChunkResults`] that come with charges.
pub struct BatchTable {
    pub db: Database,
    /// Receives the progress of batches.
    pub events: Events,
}

#[async_trait]
impl SideTable for BatchTable {
    type Row = ChunkResults;

    async fn write(
        &self,
        tx: &DatabaseTransaction,
        rows: &[PostedRow<'_, ChunkResults>],
    ) -> Result<(), DbErr> {
        for posted in rows {
            write(&self.db, tx, posted.row).await?;
        }
        Ok(())
    }

    fn bytes(&self, chunk: &ChunkResults) -> usize {
        chunk.results.len()
    }

    fn announce(&self, account: &AccountId, chunk: &ChunkResults) {
        self.events.publish(Event::Progress { account: account.clone(), subject: chunk.batch.to_string() });
    }
}

/// Writes the results of a chunk and counts them; the last one wakes the job that ends the batch. A chunk that has
/// results keeps them.
pub(super) async fn write(
    db: &Database,
    tx: &DatabaseTransaction,
    chunk: &ChunkResults,
) -> Result<(), DbErr> {
    #[derive(FromQueryResult)]
    struct Left {
        chunks_left: i32,
        job_id: String,
    }
    let ChunkResults { batch, number, results, completed, failed, charged, item_bytes, line_bytes } = chunk;
    let written = batch_chunk::Entity::update_many()
        .col_expr(batch_chunk::Column::Results, Expr::value(results.as_str()))
        .col_expr(batch_chunk::Column::Items, Expr::value(""))
        .col_expr(batch_chunk::Column::Completed, Expr::value(*completed))
        .col_expr(batch_chunk::Column::Failed, Expr::value(*failed))
        .filter(batch_chunk::Column::BatchId.eq(batch.as_str()))
        .filter(batch_chunk::Column::Number.eq(*number))
        .filter(batch_chunk::Column::Results.is_null())
        .exec(tx)
        .await?;
    if written.rows_affected == 0 {
        return Ok(());
    }
    let more_bytes = results.len() as i64 - *item_bytes as i64;
    let sql = "UPDATE batch SET status = 'running', started_at = COALESCE(started_at, $1), completed = completed + $2, \
               failed = failed + $3, charged = charged + $4, bytes = bytes + $5, output_bytes = output_bytes + $6, \
               error_bytes = error_bytes + $7, chunks_left = chunks_left - 1 \
               WHERE id = $8 AND status IN ('queued', 'running') RETURNING chunks_left, job_id";
    let values = [
        chrono::Utc::now().into(),
        (*completed).into(),
        (*failed).into(),
        (*charged).into(),
        more_bytes.into(),
        line_bytes.answered.into(),
        line_bytes.failed.into(),
        batch.as_str().into(),
    ];
    let counted = Statement::from_sql_and_values(tx.get_database_backend(), sql, values);
    let Some(left) = Left::find_by_statement(counted).one(tx).await? else {
        return Err(DbErr::Custom(format!("{batch} has ended")));
    };
    if left.chunks_left == 0 {
        let woken = job::wake(db, tx, &JobId::from(left.job_id)).await;
        woken.map_err(|error| DbErr::Custom(error.with_cause()))?;
    }
    Ok(())
}
