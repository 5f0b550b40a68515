//! Deletes old batches and abandoned uploads.

use chrono::{TimeDelta, Utc};
use entity::batch;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};

use super::{batches::Batches, store::UPLOADING};
use crate::Result;

/// When an invisible upload counts as abandoned: after several times as long as a request may take.
const ABANDONED_AFTER: TimeDelta = TimeDelta::minutes(10);
/// Batches deleted at once: each may have thousands of rows.
const CHUNK: u64 = 4;

impl Batches {
    /// Deletes batches that ended long enough ago, files whose time is up, and abandoned uploads; returns how many.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn prune(&self) -> Result<u64> {
        let db = &self.paid.db;
        let now = Utc::now();
        let over = Condition::any().add(batch::Column::FinishedAt.lt(now - self.limits.kept)).add(
            Condition::all()
                .add(batch::Column::Status.eq(UPLOADING))
                .add(batch::Column::CreatedAt.lt(now - ABANDONED_AFTER)),
        );
        let mut pruned = self.files.prune(ABANDONED_AFTER).await?;
        loop {
            let some = batch::Entity::find().select_only().column(batch::Column::Id).filter(over.clone());
            let ids: Vec<String> = some.limit(CHUNK).into_tuple().all(db.read()).await?;
            if ids.is_empty() {
                return Ok(pruned);
            }
            // The foreign key deletes their chunks too.
            let deleted =
                batch::Entity::delete_many().filter(batch::Column::Id.is_in(ids)).exec(db.write()).await?;
            pruned += deleted.rows_affected;
        }
    }
}
