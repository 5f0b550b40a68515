//! Lists of samples: filtered, in one of three orders, by page; and the review queue, which is one of them. Many lists are
//! read in one statement.

use std::collections::HashMap;

use entity::{judge, sample, sample_answer};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, FromQueryResult, Order, QueryFilter, QuerySelect, QueryTrait,
    Select,
    sea_query::{Alias, Expr, ExprTrait, Query},
};

use super::{Place, Sample, SampleFilter, sample::with_answers, union::union_all};
use crate::{
    Result,
    database::Database,
    id::{AccountId, JudgeId},
    page::{Page, Slice, Take},
};

/// In what order samples are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SampleOrder {
    /// The last recorded first.
    #[default]
    NewestFirst,
    /// The first recorded first.
    OldestFirst,
    /// The one with the least certain answer first; those without a certainty last.
    LeastCertainFirst,
}

/// What must hold of the answer under one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AnswerFilter {
    /// The instruction's key.
    pub key: String,
    /// What was answered.
    pub value: Option<String>,
    /// The ground truth.
    pub truth: Option<String>,
    /// Whether the answer is the ground truth; both must be there.
    pub agrees: Option<bool>,
}

/// Which samples of a Judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SampleQuery {
    /// By what they are.
    pub filter: SampleFilter,
    /// By what was answered.
    pub answer: Option<AnswerFilter>,
    /// Only those that this actor could review: without any ground truth, and claimed by nobody else.
    pub reviewable_by: Option<String>,
}

/// One list, and the page of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SamplePage {
    /// Whose samples.
    pub judge: JudgeId,
    /// Which.
    pub query: SampleQuery,
    /// In what order.
    pub order: SampleOrder,
    /// What part.
    pub page: Page<Place>,
}

/// A page of samples of an account.
pub async fn page(db: &Database, account: &AccountId, wanted: SamplePage) -> Result<Slice<Sample>> {
    let mut slices = pages(db, account, std::slice::from_ref(&wanted)).await?;
    Ok(slices.pop().unwrap_or(Slice { items: Vec::new(), has_previous: false, has_next: false }))
}

/// Pages of samples of an account, in as many statements as one page takes.
pub async fn pages(db: &Database, account: &AccountId, wanted: &[SamplePage]) -> Result<Vec<Slice<Sample>>> {
    let queries = wanted.iter().map(|wanted| query(db, account, wanted)).collect();
    let rows: Vec<Vec<sample::Model>> = union_all(db, queries).await?;
    let seqs: Vec<Vec<i64>> = rows.iter().map(|rows| rows.iter().map(|row| row.seq).collect()).collect();
    let mut distinct: HashMap<i64, sample::Model> = HashMap::new();
    distinct.extend(rows.into_iter().flatten().map(|row| (row.seq, row)));
    let samples = with_answers(db, distinct.into_values().collect()).await?;
    let samples: HashMap<i64, Sample> = samples.into_iter().map(|sample| (sample.seq, sample)).collect();
    let found =
        seqs.into_iter().map(|seqs| seqs.iter().filter_map(|seq| samples.get(seq).cloned()).collect());
    Ok(wanted.iter().zip(found).map(|(wanted, found)| cut(wanted, found)).collect())
}

/// How many samples there are of each query, in one statement.
pub async fn counts(
    db: &Database,
    account: &AccountId,
    wanted: &[(JudgeId, SampleQuery)],
) -> Result<Vec<u64>> {
    #[derive(FromQueryResult)]
    struct Counted {
        n: i64,
    }
    let count = |(judge, query): &(JudgeId, SampleQuery)| {
        let column = (sample::Entity, sample::Column::Seq);
        let mut query = matching(db, account, judge, query).into_query();
        query.clear_selects().expr_as(Expr::col(column).count(), Alias::new("n"));
        query
    };
    let counted: Vec<Vec<Counted>> = union_all(db, wanted.iter().map(count).collect()).await?;
    let one = |rows: Vec<Counted>| rows.first().map_or(0, |row| u64::try_from(row.n).unwrap_or_default());
    Ok(counted.into_iter().map(one).collect())
}

/// The samples that a query is about, in no order.
pub(super) fn matching(
    db: &Database,
    account: &AccountId,
    judge: &JudgeId,
    query: &SampleQuery,
) -> Select<sample::Entity> {
    // Asked of the Judge and not of each sample, so that an index alone can count them.
    let mut owner = Query::select();
    owner
        .column((judge::Entity, judge::Column::AccountId))
        .from(judge::Entity)
        .and_where(judge::Column::Id.eq(judge.as_str()));
    let own = Expr::SubQuery(None, Box::new(owner.into())).eq(account.as_str());
    let mut select = sample::Entity::find()
        .filter(sample::Column::JudgeId.eq(judge.as_str()))
        .filter(own)
        .filter(query.filter.condition());
    if let Some(answer) = &query.answer {
        select = select.filter(answer.condition());
    }
    if let Some(reviewer) = &query.reviewable_by {
        let by_nobody_else = unclaimed(db).add(sample::Column::ClaimedBy.eq(reviewer));
        select = select.filter(unlabelled()).filter(by_nobody_else);
    }
    select
}

/// What an index holds: the word for `labels = 0` must be the index's own, not a value to be bound.
pub(super) fn unlabelled() -> Expr {
    Expr::col((sample::Entity, sample::Column::Labels)).eq(Expr::Constant(0.into()))
}

/// That nobody claims a sample now.
pub(super) fn unclaimed(db: &Database) -> Condition {
    let until = || Expr::col((sample::Entity, sample::Column::ClaimedUntil));
    Condition::any().add(until().is_null()).add(until().lte(Expr::cust(db.now_ms())))
}

/// The certainty that samples are ordered by, in the words of an index.
pub(super) fn certainty() -> Expr {
    Expr::cust(r#"COALESCE("sample"."certainty", 2.0)"#)
}

impl AnswerFilter {
    fn condition(&self) -> Expr {
        use sample_answer::{Column, Entity};
        // No stored word holds a NUL, and PostgreSQL takes none to compare with.
        let words = [Some(&self.key), self.value.as_ref(), self.truth.as_ref()];
        if words.into_iter().flatten().any(|word| word.contains('\0')) {
            return Expr::Constant(false.into());
        }
        let of_the_sample =
            Expr::col((Entity, Column::SampleSeq)).equals((sample::Entity, sample::Column::Seq));
        let agrees = self.agrees.map(|agrees| {
            let (answer, truth) = (Expr::col((Entity, Column::Value)), Expr::col((Entity, Column::Truth)));
            if agrees { answer.eq(truth) } else { answer.ne(truth) }
        });
        let mut answers = Query::select();
        answers.expr(Expr::Constant(1.into())).from(Entity).cond_where(
            Condition::all()
                .add(of_the_sample)
                .add(Column::Key.eq(&self.key))
                .add_option(self.value.as_ref().map(|value| Column::Value.eq(value)))
                .add_option(self.truth.as_ref().map(|truth| Column::Truth.eq(truth)))
                .add_option(agrees),
        );
        Expr::exists(answers)
    }
}

/// One page, and one sample more, which tells whether there are others.
fn query(db: &Database, account: &AccountId, wanted: &SamplePage) -> sea_orm::sea_query::SelectStatement {
    let seq = || Expr::col((sample::Entity, sample::Column::Seq));
    let place = |place: &Place| (f64::from_bits(place.certainty), place.seq);
    let beyond = |bound: &Place, forward: bool| match (wanted.order, forward) {
        (SampleOrder::NewestFirst, true) | (SampleOrder::OldestFirst, false) => seq().lt(bound.seq),
        (SampleOrder::NewestFirst, false) | (SampleOrder::OldestFirst, true) => seq().gt(bound.seq),
        (SampleOrder::LeastCertainFirst, forward) => {
            let (least, seq_of) = place(bound);
            let (here, there) =
                (Expr::tuple([certainty(), seq()]), Expr::tuple([Expr::val(least), Expr::val(seq_of)]));
            if forward { here.gt(there) } else { here.lt(there) }
        }
    };
    let mut select = matching(db, account, &wanted.judge, &wanted.query);
    if let Some(after) = &wanted.page.after {
        select = select.filter(beyond(after, true));
    }
    if let Some(before) = &wanted.page.before {
        select = select.filter(beyond(before, false));
    }
    let (wanted_rows, forward) = match wanted.page.take {
        Take::First(n) => (n, true),
        Take::Last(n) => (n, false),
    };
    let ascending = (wanted.order != SampleOrder::NewestFirst) == forward;
    let direction = if ascending { Order::Asc } else { Order::Desc };
    let mut query = select.limit(wanted_rows + 1).into_query();
    if wanted.order == SampleOrder::LeastCertainFirst {
        query.order_by_expr(certainty(), direction.clone());
    }
    query.order_by_expr(seq(), direction);
    query
}

/// Puts what was found in order, and takes away the one more.
fn cut(wanted: &SamplePage, mut found: Vec<Sample>) -> Slice<Sample> {
    match wanted.order {
        SampleOrder::NewestFirst => found.sort_unstable_by_key(|sample| std::cmp::Reverse(sample.seq)),
        SampleOrder::OldestFirst => found.sort_unstable_by_key(|sample| sample.seq),
        // The bits of positive numbers are ordered as they are.
        SampleOrder::LeastCertainFirst => {
            found.sort_unstable_by_key(|sample| (sample.place().certainty, sample.seq));
        }
    }
    wanted.page.cut(found)
}
