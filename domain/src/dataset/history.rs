//! The trail of a sample's ground truths, as it is read. `label` writes it.

use chrono::{DateTime, Utc};
use entity::label;
use sea_orm::{
    ColumnTrait, EntityTrait, FromQueryResult, Order, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Alias, Expr, ExprTrait},
};

use super::union::union_all;
use crate::{
    Result,
    database::Database,
    id::{AccountId, ChangeId},
    page::{Page, Slice, Take},
};

/// One change of one key's ground truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelChange {
    /// Its place among all changes.
    pub seq: i64,
    /// What was changed together, and is undone together.
    pub change: ChangeId,
    /// The instruction's key.
    pub key: String,
    /// The ground truth before; none for none.
    pub previous: Option<String>,
    /// The ground truth since; none for none.
    pub value: Option<String>,
    /// Who: `user_…` or `key_…`.
    pub actor: String,
    /// When.
    pub at: DateTime<Utc>,
}

/// A page of one sample's history, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LabelPage {
    /// The sample, by its `seq`.
    pub sample: i64,
    /// What part.
    pub page: Page<i64>,
}

/// Pages of histories, in one statement.
pub async fn histories(
    db: &Database,
    account: &AccountId,
    wanted: &[LabelPage],
) -> Result<Vec<Slice<LabelChange>>> {
    let queries = wanted.iter().map(|wanted| query(account, wanted)).collect();
    let found: Vec<Vec<label::Model>> = union_all(db, queries).await?;
    Ok(wanted.iter().zip(found).map(|(wanted, rows)| cut(&wanted.page, rows)).collect())
}

/// How long the histories of samples are, in one statement.
pub async fn history_counts(db: &Database, account: &AccountId, samples: &[i64]) -> Result<Vec<u64>> {
    #[derive(FromQueryResult)]
    struct Counted {
        n: i64,
    }
    let count = |sample: &i64| {
        let mut query = of(account, *sample).into_query();
        query.clear_selects().expr_as(Expr::col(label::Column::Seq).count(), Alias::new("n"));
        query
    };
    let counted: Vec<Vec<Counted>> = union_all(db, samples.iter().map(count).collect()).await?;
    let one = |rows: Vec<Counted>| rows.first().map_or(0, |row| u64::try_from(row.n).unwrap_or_default());
    Ok(counted.into_iter().map(one).collect())
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

fn cut(page: &Page<i64>, mut rows: Vec<label::Model>) -> Slice<LabelChange> {
    rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.seq));
    page.cut(rows).map(|row| LabelChange {
        seq: row.seq,
        change: ChangeId::from(row.change_id),
        key: row.key,
        previous: row.previous,
        value: row.value,
        actor: row.actor,
        at: row.created_at,
    })
}
