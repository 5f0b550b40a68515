//! Deletes batches: old ones, and uploads that were given up.

use chrono::{TimeDelta, Utc};
use entity::batch;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};

use super::store::UPLOADING;
use crate::{Result, foundation::database::Database};

/// After how long an upload that is not visible counts as given up: several times what a request may take.
const GIVEN_UP: TimeDelta = TimeDelta::minutes(10);
/// Batches that are deleted at once: each has up to thousands of rows.
const CHUNK: u64 = 4;

/// Deletes batches that ended longer than `kept` ago, and uploads that were given up; returns how many.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub async fn prune(db: &Database, kept: TimeDelta) -> Result<u64> {
    let now = Utc::now();
    let over = Condition::any().add(batch::Column::FinishedAt.lt(now - kept)).add(
        Condition::all()
            .add(batch::Column::Status.eq(UPLOADING))
            .add(batch::Column::CreatedAt.lt(now - GIVEN_UP)),
    );
    let mut pruned = 0;
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
