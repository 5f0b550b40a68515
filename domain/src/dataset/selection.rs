//! Selects and locks the samples of one change. A change applies to all selected samples or to none.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use entity::sample;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::Expr,
};

use super::{SampleQuery, page::matching, sample::sample_not_found};
use crate::{
    Code, Error, Result,
    database::Database,
    id::{AccountId, JudgeId, SampleId},
};

/// Samples per change, at most.
pub const MAX_SAMPLES: usize = 10_000;

/// Some samples of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    Ids {
        /// The Judge that they must belong to, if given.
        judge: Option<JudgeId>,
        /// Duplicates count once.
        ids: Vec<SampleId>,
    },
    /// The samples of a Judge that match a query.
    Matching { judge: JudgeId, query: SampleQuery },
}

/// A sample row that is locked until the transaction ends.
#[derive(Clone, Debug, FromQueryResult)]
pub(super) struct LockedSample {
    pub(super) seq: i64,
    pub(super) id: String,
    pub(super) judge_id: String,
    pub(super) judge_version: i32,
    pub(super) source: String,
    pub(super) instructions: Option<String>,
    pub(super) created_at: DateTime<Utc>,
    claimed_by: Option<String>,
    claimed_until: Option<i64>,
    now: i64,
}

impl LockedSample {
    /// Returns true while an actor other than `actor` has a claim on the sample.
    pub(super) fn claimed_by_another(&self, actor: &str) -> bool {
        let held = self.claimed_until.is_some_and(|until| until > self.now);
        held && self.claimed_by.as_deref().is_some_and(|by| by != actor)
    }
}

impl Selection {
    /// Selects one sample.
    pub fn one(id: SampleId) -> Self {
        Self::Ids { judge: None, ids: vec![id] }
    }

    /// The query for the samples, without locks and unordered.
    pub(super) fn select(&self, db: &Database, account: &AccountId) -> Select<sample::Entity> {
        match self {
            Self::Matching { judge, query } => matching(db, account, judge, query),
            Self::Ids { judge, ids } => {
                let mut select = sample::Entity::find()
                    .filter(sample::Column::AccountId.eq(account.as_str()))
                    .filter(sample::Column::Id.is_in(ids.iter().map(SampleId::as_str)));
                if let Some(judge) = judge {
                    select = select.filter(sample::Column::JudgeId.eq(judge.as_str()));
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
                format!("must be 1 to {MAX_SAMPLES} samples, not {}", ids.len()),
            )),
            _ => Ok(()),
        }
    }

    /// # Errors
    /// `NOT_FOUND` when `found` samples are fewer than there are ids.
    pub(super) fn require_all(&self, found: usize) -> Result<()> {
        match self {
            Self::Ids { ids, .. } if found < ids.iter().collect::<HashSet<_>>().len() => {
                Err(sample_not_found())
            }
            _ => Ok(()),
        }
    }

    /// Locks all the samples, ordered by `seq`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for too many; `NOT_FOUND` when one of the ids does not exist.
    pub(super) async fn lock(
        &self,
        db: &Database,
        tx: &impl ConnectionTrait,
        account: &AccountId,
    ) -> Result<Vec<LockedSample>> {
        self.validate()?;
        let rows = lock(self.select(db, account).limit(MAX_SAMPLES as u64 + 1), db, tx).await?;
        if rows.len() > MAX_SAMPLES {
            let message = format!("must match at most {MAX_SAMPLES} samples; these are more");
            return Err(Error::invalid("filter", message));
        }
        self.require_all(rows.len())?;
        Ok(rows)
    }
}

/// Locks samples in the order of their `seq`.
pub(super) async fn lock(
    select: Select<sample::Entity>,
    db: &Database,
    tx: &impl ConnectionTrait,
) -> Result<Vec<LockedSample>> {
    use sample::Column;
    let columns = [
        Column::Seq,
        Column::Id,
        Column::JudgeId,
        Column::JudgeVersion,
        Column::Source,
        Column::Instructions,
        Column::CreatedAt,
        Column::ClaimedBy,
        Column::ClaimedUntil,
    ];
    let locked = select.select_only().columns(columns).expr_as(Expr::cust(db.now_ms()), "now");
    Ok(locked.order_by_asc(Column::Seq).lock_exclusive().into_model::<LockedSample>().all(tx).await?)
}

/// # Errors
/// `CONFLICT` when another actor is reviewing one of them.
pub(super) fn require_unclaimed(rows: &[LockedSample], actor: &str) -> Result<()> {
    let others = rows.iter().filter(|row| row.claimed_by_another(actor)).count();
    let message = match (others, rows.len()) {
        (0, _) => return Ok(()),
        (1, 1) => "somebody else is reviewing this sample".to_owned(),
        (others, all) => format!("somebody else is reviewing {others} of these {all} samples"),
    };
    Err(Error::new(Code::Conflict, message))
}
