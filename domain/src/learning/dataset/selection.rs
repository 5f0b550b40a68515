//! Selects the samples of one change, and locks them.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use entity::sample;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, Select, sea_query::Expr,
};

use super::{SampleQuery, chunk::SampleSize, page::matching};
use crate::{Code, Error, Result, foundation::database::Database, learning::sample::stored_bytes};
use ports::id::{AccountId, DatasetId, SampleId};

/// Maximum samples per change.
pub const MAX_SAMPLES: usize = 10_000;

/// Some samples of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    Ids {
        /// The dataset that they must belong to, if given.
        dataset: Option<DatasetId>,
        /// Duplicates count once.
        ids: Vec<SampleId>,
    },
    /// The samples of a dataset that match a query.
    Matching { dataset: DatasetId, query: SampleQuery },
}

/// The columns of a sample that a change needs.
#[derive(Clone, Debug, FromQueryResult)]
pub(super) struct SampleRow {
    pub(super) seq: i64,
    pub(super) id: String,
    pub(super) judge_id: String,
    pub(super) judge_version: i32,
    pub(super) source: String,
    pub(super) created_at: DateTime<Utc>,
    pub(super) claimed_by: Option<String>,
    claimed_until: Option<i64>,
    now: i64,
}

/// A sample selected for a change, not locked.
#[derive(Clone, Debug, FromQueryResult)]
pub(super) struct SelectedSample {
    #[sea_orm(nested)]
    pub(super) row: SampleRow,
    /// True when it has instructions of its own.
    pub(super) own: bool,
    /// The bytes that the change reads and writes.
    bytes: i64,
}

impl SelectedSample {
    pub(super) fn size(&self) -> SampleSize {
        SampleSize { seq: self.row.seq, bytes: self.bytes }
    }
}

impl SampleRow {
    /// Returns true while an actor other than `actor` has a claim on the sample.
    pub(super) fn claimed_by_another(&self, actor: &str) -> bool {
        let held = self.claimed_until.is_some_and(|until| until > self.now);
        held && self.claimed_by.as_deref().is_some_and(|by| by != actor)
    }
}

impl Selection {
    /// Selects one sample.
    pub fn one(id: SampleId) -> Self {
        Self::Ids { dataset: None, ids: vec![id] }
    }

    /// The query for the samples, without locks and unordered.
    pub(super) fn select(&self, db: &Database, account: &AccountId) -> Select<sample::Entity> {
        match self {
            Self::Matching { dataset, query } => matching(db, account, dataset, query),
            Self::Ids { dataset, ids } => {
                let mut select = sample::Entity::find()
                    .filter(sample::Column::AccountId.eq(account.as_str()))
                    .filter(sample::Column::Id.is_in(ids.iter().map(SampleId::as_str)));
                if let Some(dataset) = dataset {
                    select = select.filter(sample::Column::JudgeId.eq(dataset.as_str()));
                }
                select
            }
        }
    }

    /// # Errors
    /// `VALIDATION_FAILED` for no ids, or for more than may be changed at once.
    pub(super) fn validate(&self) -> Result<()> {
        match self {
            Self::Ids { ids, .. } if ids.is_empty() || ids.len() > MAX_SAMPLES => Err(Error::invalid(
                "sampleIds",
                format!("must have 1 to {MAX_SAMPLES} items, not {}", ids.len()),
            )),
            _ => Ok(()),
        }
    }

    /// # Errors
    /// `NOT_FOUND` when `found` samples are fewer than there are ids.
    pub(super) fn require_all(&self, found: usize) -> Result<()> {
        match self {
            Self::Ids { ids, .. } if found < ids.iter().collect::<HashSet<_>>().len() => {
                Err(Error::not_found("sample"))
            }
            _ => Ok(()),
        }
    }

    /// Reads all the samples, ordered by `seq`, for a change of the answers that meet `answers`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for too many; `NOT_FOUND` when one of the ids does not exist.
    pub(super) async fn read(
        &self,
        db: &Database,
        account: &AccountId,
        answers: Condition,
    ) -> Result<Vec<SelectedSample>> {
        self.validate()?;
        let rows = read(self.select(db, account).limit(MAX_SAMPLES as u64 + 1), db, answers).await?;
        if rows.len() > MAX_SAMPLES {
            let message = format!("must match at most {MAX_SAMPLES} samples, and matches more");
            return Err(Error::invalid("filter", message));
        }
        self.require_all(rows.len())?;
        Ok(rows)
    }
}

/// Reads samples in the order of their `seq`, with their size in a change of the answers that meet `answers`.
pub(super) async fn read(
    select: Select<sample::Entity>,
    db: &Database,
    answers: Condition,
) -> Result<Vec<SelectedSample>> {
    let rows = columns(select, db)
        .expr_as(sample::Column::Instructions.is_not_null(), "own")
        .expr_as(stored_bytes(answers), "bytes");
    Ok(rows.into_model::<SelectedSample>().all(db.read()).await?)
}

/// Locks samples of an account in the order of their `seq`; those that no longer exist are left out.
pub(super) async fn lock(
    db: &Database,
    tx: &impl ConnectionTrait,
    account: &AccountId,
    seqs: impl IntoIterator<Item = i64>,
) -> Result<Vec<SampleRow>> {
    let select = sample::Entity::find()
        .filter(sample::Column::AccountId.eq(account.as_str()))
        .filter(sample::Column::Seq.is_in(seqs));
    Ok(columns(select, db).lock_exclusive().into_model::<SampleRow>().all(tx).await?)
}

fn columns(select: Select<sample::Entity>, db: &Database) -> Select<sample::Entity> {
    use sample::Column;
    let columns = [
        Column::Seq,
        Column::Id,
        Column::JudgeId,
        Column::JudgeVersion,
        Column::Source,
        Column::CreatedAt,
        Column::ClaimedBy,
        Column::ClaimedUntil,
    ];
    let select = select.select_only().columns(columns).expr_as(Expr::cust(db.now_ms()), "now");
    select.order_by_asc(Column::Seq)
}

/// # Errors
/// `CONFLICT` when another actor is reviewing one of them.
pub(super) fn require_unclaimed<'a>(
    rows: impl IntoIterator<Item = &'a SampleRow>,
    actor: &str,
) -> Result<()> {
    let mut all = 0;
    let mut others = 0;
    for row in rows {
        all += 1;
        others += usize::from(row.claimed_by_another(actor));
    }
    let message = match (others, all) {
        (0, _) => return Ok(()),
        (1, 1) => "somebody else is reviewing this sample".to_owned(),
        (others, all) => format!("somebody else is reviewing {others} of these {all} samples"),
    };
    Err(Error::new(Code::Conflict, message))
}
