//! Purges samples with their answers, their history and the stored answers of their requests. The ledger stays, and
//! the audit log gets an entry with the count.

use entity::{idempotency, sample};
use sea_orm::{
    ColumnTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use serde_json::json;

use super::Selection;
use crate::{
    Result,
    actor::{Actor, Role},
    audit,
    database::Database,
    id::JudgeId,
    judge,
};

/// Samples per transaction, so that other writers are not blocked for long.
const PURGE_CHUNK: u64 = 2_000;

/// Deletes samples of a Judge permanently and returns their number. With `dry_run` they are only counted. Samples
/// that are recorded meanwhile stay.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a Judge, or when one of the ids is not a sample of it;
/// `VALIDATION_FAILED` for too many ids. When the database fails midway, the samples purged until then are gone.
pub async fn purge(
    db: &Database,
    actor: &Actor,
    judge: &JudgeId,
    selection: &Selection,
    dry_run: bool,
) -> Result<u64> {
    actor.require(Role::Editor)?;
    judge::find(db, &actor.account, judge).await?;
    selection.validate()?;
    let newest = newest(db, judge).await?;
    let select = selection.select(db, &actor.account).filter(sample::Column::JudgeId.eq(judge.as_str()));
    let select = select.filter(sample::Column::Seq.lte(newest));
    let count = select.clone().count(db.read()).await?;
    selection.require_all(usize::try_from(count).unwrap_or(usize::MAX))?;
    if dry_run {
        return Ok(count);
    }
    let mut purged = 0;
    loop {
        match purge_chunk(db, actor, judge, select.clone()).await? {
            0 => return Ok(purged),
            some => purged += some,
        }
    }
}

/// The largest `seq` of a Judge's samples.
async fn newest(db: &Database, judge: &JudgeId) -> Result<i64> {
    let newest = sample::Entity::find()
        .filter(sample::Column::JudgeId.eq(judge.as_str()))
        .order_by_desc(sample::Column::Seq)
        .select_only()
        .column(sample::Column::Seq)
        .limit(1)
        .into_tuple::<i64>();
    Ok(newest.one(db.read()).await?.unwrap_or(0))
}

async fn purge_chunk(
    db: &Database,
    actor: &Actor,
    judge: &JudgeId,
    select: Select<sample::Entity>,
) -> Result<u64> {
    #[derive(FromQueryResult)]
    struct PurgedRow {
        seq: i64,
        request_id: Option<String>,
    }
    let tx = db.begin().await?;
    let rows = select.select_only().columns([sample::Column::Seq, sample::Column::RequestId]);
    let rows = rows.order_by_asc(sample::Column::Seq).limit(PURGE_CHUNK).lock_exclusive();
    let rows = rows.into_model::<PurgedRow>().all(&tx).await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let requests: Vec<_> = rows.iter().filter_map(|one| one.request_id.as_deref()).collect();
    if !requests.is_empty() {
        idempotency::Entity::delete_many()
            .filter(idempotency::Column::AccountId.eq(actor.account.as_str()))
            .filter(idempotency::Column::RequestId.is_in(requests))
            .exec(&tx)
            .await?;
    }
    // Answers and history are deleted by their foreign keys.
    let deleted = sample::Entity::delete_many()
        .filter(sample::Column::Seq.is_in(rows.iter().map(|one| one.seq)))
        .exec(&tx)
        .await?;
    let (action, target, detail) =
        ("sample.purge", judge.as_str(), json!({ "samples": deleted.rows_affected }));
    let change = audit::Change { account: &actor.account, actor: actor.name(), action, target, detail };
    audit::write(&tx, change).await?;
    tx.commit().await?;
    Ok(deleted.rows_affected)
}
