//! Deletes batches: old ones, uploads that were given up, and those of an erased account.

use chrono::{TimeDelta, Utc};
use entity::batch;
use sea_orm::{ColumnTrait, Condition, DatabaseTransaction, EntityTrait, QueryFilter, QuerySelect};

use super::store::UPLOADING;
use crate::{Result, database::Database, id::AccountId};

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

/// Deletes the batches of an erased account.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub(crate) async fn erase(tx: &DatabaseTransaction, account: &AccountId) -> Result<()> {
    batch::Entity::delete_many().filter(batch::Column::AccountId.eq(account.as_str())).exec(tx).await?;
    Ok(())
}
