//! Reads the history of a sample's ground truths. `label` writes it.

use chrono::{DateTime, Utc};
use entity::label;
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter, QuerySelect, QueryTrait, Select};

use super::Datasets;
use crate::{
    Result,
    foundation::{
        combined_queries::{count_all, union_all},
        page::{Page, Slice, Take},
    },
};
use ports::id::{AccountId, ChangeId};

/// One change of one key's ground truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelChange {
    /// Position among all label changes.
    pub seq: i64,
    /// Edits made and undone together share this id.
    pub change: ChangeId,
    pub key: String,
    /// The ground truth before; `None` when there was none.
    pub previous: Option<String>,
    /// The ground truth after; `None` when it was cleared.
    pub value: Option<String>,
    /// `user_…` or `key_…`.
    pub actor: String,
    /// The actor's note.
    pub note: Option<String>,
    pub at: DateTime<Utc>,
}

/// A page of one sample's history, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LabelPage {
    /// The `seq` of the sample.
    pub sample: i64,
    pub page: Page<i64>,
}

impl Datasets {
    /// Reads pages of histories in one statement.
    pub async fn list_histories(
        &self,
        account: &AccountId,
        wanted: &[LabelPage],
    ) -> Result<Vec<Slice<LabelChange>>> {
        let queries = wanted.iter().map(|wanted| query(account, wanted)).collect();
        let found: Vec<Vec<label::Model>> = union_all(&self.db, queries).await?;
        Ok(wanted.iter().zip(found).map(|(wanted, rows)| slice(&wanted.page, rows)).collect())
    }

    /// Counts the label changes of each sample in one statement.
    pub async fn count_histories(&self, account: &AccountId, samples: &[i64]) -> Result<Vec<u64>> {
        count_all(&self.db, None, samples.iter().map(|sample| of(account, *sample).into_query())).await
    }
}

fn of(account: &AccountId, sample: i64) -> Select<label::Entity> {
    label::Entity::find()
        .filter(label::Column::SampleSeq.eq(sample))
        .filter(label::Column::AccountId.eq(account.as_str()))
}

fn query(account: &AccountId, wanted: &LabelPage) -> sea_orm::sea_query::SelectStatement {
    let LabelPage { sample, page } = wanted;
    let mut select = of(account, *sample);
    if let Some(after) = page.after {
        select = select.filter(label::Column::Seq.lt(after));
    }
    if let Some(before) = page.before {
        select = select.filter(label::Column::Seq.gt(before));
    }
    let (rows, order) = match page.take {
        Take::First(n) => (n, Order::Desc),
        Take::Last(n) => (n, Order::Asc),
    };
    let mut query = select.limit(rows + 1).into_query();
    query.order_by(label::Column::Seq, order);
    query
}

fn slice(page: &Page<i64>, mut rows: Vec<label::Model>) -> Slice<LabelChange> {
    rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.seq));
    page.cut(rows).map(|row| LabelChange {
        seq: row.seq,
        change: ChangeId::from(row.change_id),
        key: row.key,
        previous: row.previous,
        value: row.value,
        actor: row.actor,
        note: row.note,
        at: row.created_at,
    })
}
