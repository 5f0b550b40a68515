//! The results of a batch, chunk by chunk, in the order of submission.

use bytes::Bytes;
use entity::batch_chunk;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};

use super::{lines, store::Batch};
use crate::{Result, foundation::database::Database};

/// Reads results. What has no result yet is left out while the batch is open; after its end it has an error.
pub struct Results {
    db: Database,
    batch: Batch,
    next: i32,
}

impl Results {
    pub(super) fn new(db: Database, batch: Batch) -> Self {
        Self { db, batch, next: 0 }
    }

    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Continues from a position of earlier results.
    #[must_use]
    pub fn from(self, position: i32) -> Self {
        Self { next: position, ..self }
    }

    /// Where the next lines are.
    pub fn position(&self) -> i32 {
        self.next
    }

    /// The next lines; none at the end.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let chunk = batch_chunk::Entity::find()
                .filter(batch_chunk::Column::BatchId.eq(self.batch.id.as_str()))
                .filter(batch_chunk::Column::Number.gte(self.next))
                .order_by_asc(batch_chunk::Column::Number);
            let Some(chunk) = self.db.in_time(chunk.one(self.db.read())).await? else { return Ok(None) };
            self.next = chunk.number + 1;
            let lines = match chunk.results {
                Some(results) => results,
                None if self.batch.status.is_open() => continue,
                None => lines::not_run(&chunk.items, self.batch.status)?,
            };
            if !lines.is_empty() {
                return Ok(Some(Bytes::from(lines)));
            }
        }
    }
}
