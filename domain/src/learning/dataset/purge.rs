//! Purges samples with their answers, their history and the stored answers of their requests. The ledger stays, and
//! the audit log gets an entry with the count.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use entity::{idempotency, sample};
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, Select,
};
use serde_json::json;

use super::{
    Datasets, Selection,
    chunk::{SampleSize, WRITE, chunks},
};
use crate::{
    Result,
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
    },
    learning::sample::{storage, stored_bytes},
};
use ports::id::{AccountId, DatasetId};

/// Sizes of samples read at once.
const SIZES_PER_QUERY: u64 = 5_000;

impl Datasets {
    /// Deletes samples of a dataset permanently and returns their number. With `dry_run` they are only counted. Samples
    /// that are recorded meanwhile stay.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a dataset, or when one of the ids is not a sample of it;
    /// `VALIDATION_FAILED` for too many ids. When the database fails midway, the samples purged until then are gone.
    pub async fn purge(
        &self,
        actor: &Actor,
        dataset: &DatasetId,
        selection: &Selection,
        dry_run: bool,
    ) -> Result<u64> {
        actor.require(Role::Editor)?;
        self.find_owner(&actor.account, dataset).await?;
        selection.validate()?;
        let newest = newest(&self.db, dataset).await?;
        let select =
            selection.select(&self.db, &actor.account).filter(sample::Column::JudgeId.eq(dataset.as_str()));
        let select = select.filter(sample::Column::Seq.lte(newest));
        let count = select.clone().count(self.db.read()).await?;
        selection.require_all(usize::try_from(count).unwrap_or(usize::MAX))?;
        if dry_run {
            return Ok(count);
        }
        let mut purge = Purge { db: &self.db, actor, dataset, select, purged: 0, entry: None };
        let mut after = 0;
        loop {
            let sizes = sizes(&self.db, purge.select.clone(), after).await?;
            let Some(last) = sizes.last() else { return Ok(purge.purged) };
            after = last.seq;
            for chunk in chunks(&sizes, WRITE, |size| *size) {
                purge.chunk(chunk).await?;
            }
        }
    }

    /// Deletes all samples of an account with their answers and their history.
    pub(crate) async fn remove_all(&self, account: &AccountId) -> Result<()> {
        let of_account = sample::Entity::find().filter(sample::Column::AccountId.eq(account.as_str()));
        loop {
            let sizes = sizes(&self.db, of_account.clone(), 0).await?;
            if sizes.is_empty() {
                return Ok(());
            }
            for chunk in chunks(&sizes, WRITE, |size| *size) {
                let (tx, _permit) = self.db.begin_bulk().await?;
                delete(&tx, chunk.iter().map(|one| one.seq)).await?;
                tx.commit().await?;
            }
        }
    }

    /// Deletes samples of a dataset that were recorded or imported before a time, with the stored answers of their
    /// requests; returns their number.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer; what was deleted until then is gone.
    pub async fn remove_older(
        &self,
        account: &AccountId,
        dataset: &DatasetId,
        before: DateTime<Utc>,
    ) -> Result<u64> {
        let old = sample::Entity::find()
            .filter(sample::Column::JudgeId.eq(dataset.as_str()))
            .filter(sample::Column::CreatedAt.lt(before));
        let mut removed = 0;
        loop {
            let sizes = sizes(&self.db, old.clone(), 0).await?;
            if sizes.is_empty() {
                return Ok(removed);
            }
            for chunk in chunks(&sizes, WRITE, |size| *size) {
                let (tx, _permit) = self.db.begin_bulk().await?;
                let (count, freed) = lock_and_delete(&tx, account, old.clone(), chunk).await?;
                removed += count;
                storage::add(&tx, BTreeMap::from([(account.to_string(), -freed)])).await?;
                tx.commit().await?;
            }
        }
    }
}

/// The sizes of the next selected samples after a `seq`.
async fn sizes(db: &Database, select: Select<sample::Entity>, after: i64) -> Result<Vec<SampleSize>> {
    let sizes = select
        .filter(sample::Column::Seq.gt(after))
        .select_only()
        .column(sample::Column::Seq)
        .expr_as(stored_bytes(Condition::all()), "bytes")
        .order_by_asc(sample::Column::Seq)
        .limit(SIZES_PER_QUERY);
    Ok(sizes.into_model().all(db.read()).await?)
}

/// Locks those of some samples of an account that are still selected, and deletes them with the stored answers of their
/// requests. Returns their number and their bytes, which the caller takes off what the account has stored.
async fn lock_and_delete(
    tx: &DatabaseTransaction,
    account: &AccountId,
    select: Select<sample::Entity>,
    samples: &[SampleSize],
) -> Result<(u64, i64)> {
    #[derive(FromQueryResult)]
    struct Locked {
        seq: i64,
        request_id: Option<String>,
        bytes: i64,
    }
    let rows = select.filter(sample::Column::Seq.is_in(samples.iter().map(|one| one.seq)));
    let rows = rows.select_only().columns([sample::Column::Seq, sample::Column::RequestId]);
    let rows = rows.expr_as(stored_bytes(Condition::all()), "bytes");
    let rows = rows.order_by_asc(sample::Column::Seq).lock_exclusive().into_model::<Locked>().all(tx).await?;
    let requests: Vec<_> = rows.iter().filter_map(|one| one.request_id.as_deref()).collect();
    if !requests.is_empty() {
        idempotency::Entity::delete_many()
            .filter(idempotency::Column::AccountId.eq(account.as_str()))
            .filter(idempotency::Column::RequestId.is_in(requests))
            .exec(tx)
            .await?;
    }
    let count = delete(tx, rows.iter().map(|one| one.seq)).await?;
    Ok((count, rows.iter().map(|one| one.bytes).sum()))
}

/// Deletes samples; their foreign keys delete their answers and their history.
async fn delete(tx: &DatabaseTransaction, seqs: impl IntoIterator<Item = i64>) -> Result<u64> {
    let deleted = sample::Entity::delete_many().filter(sample::Column::Seq.is_in(seqs)).exec(tx).await?;
    Ok(deleted.rows_affected)
}

/// A purge in progress.
struct Purge<'a> {
    db: &'a Database,
    actor: &'a Actor,
    dataset: &'a DatasetId,
    select: Select<sample::Entity>,
    /// Samples purged so far.
    purged: u64,
    /// The `seq` of its entry in the audit log, once anything is purged.
    entry: Option<i64>,
}

/// The largest `seq` of a dataset's samples.
pub(super) async fn newest(db: &Database, dataset: &DatasetId) -> Result<i64> {
    let newest = sample::Entity::find()
        .filter(sample::Column::JudgeId.eq(dataset.as_str()))
        .order_by_desc(sample::Column::Seq)
        .select_only()
        .column(sample::Column::Seq)
        .limit(1)
        .into_tuple::<i64>();
    Ok(newest.one(db.read()).await?.unwrap_or(0))
}

impl Purge<'_> {
    /// Deletes the samples that are still selected.
    async fn chunk(&mut self, samples: &[SampleSize]) -> Result<()> {
        let (tx, _permit) = self.db.begin_bulk().await?;
        let (count, freed) = lock_and_delete(&tx, &self.actor.account, self.select.clone(), samples).await?;
        self.purged += count;
        self.record(&tx).await?;
        storage::add(&tx, BTreeMap::from([(self.actor.account.to_string(), -freed)])).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn record(&mut self, tx: &DatabaseTransaction) -> Result<()> {
        let detail = json!({ "samples": self.purged });
        if let Some(seq) = self.entry {
            return audit::go_on(tx, seq, &detail).await;
        }
        let account = &self.actor.account;
        let actor = self.actor.name();
        let target = self.dataset.as_str();
        let change = audit::Change { account, actor, action: audit::Action::SamplePurge, target, detail };
        self.entry = Some(audit::begin(tx, change).await?);
        Ok(())
    }
}
