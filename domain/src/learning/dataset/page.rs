//! Lists of samples: filtered, in one of four orders, by page; the review queue is one of them. Many lists are found
//! in one statement, and their samples read in chunks, since a page of large samples takes many megabytes.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use entity::{judge, sample, sample_answer};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Alias, Expr, ExprTrait, Query},
};

use super::{
    Datasets, Sample, SampleFilter, SampleOrder, SamplePosition,
    chunk::{READ, SampleSize, chunks},
    sample::with_answers,
};
use crate::{
    Error, Result,
    foundation::{
        combined_queries::{count_all, scan_all, union_all},
        database::Database,
        page::{Page, Slice, Take},
        search,
    },
    learning::sample::{ModerationFilter, own_bytes, unlabelled},
};
use ports::id::{AccountId, DatasetId};

/// Maximum characters of a text to search for.
const STATE_TEXT_CHARS: usize = 200;

/// A filter on the answer under one key; a field that is `None` does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AnswerFilter {
    pub key: String,
    /// The answered value.
    pub value: Option<String>,
    /// The ground truth.
    pub truth: Option<String>,
    /// True: the answer equals the ground truth. False: it differs. Samples without both do not match.
    pub agrees: Option<bool>,
}

/// A filter on the samples of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SampleQuery {
    pub filter: SampleFilter,
    pub answer: Option<AnswerFilter>,
    /// Only samples whose state contains this.
    pub text: Option<StateText>,
    /// Only messages of a moderation log that match this.
    pub moderation: Option<Box<ModerationFilter>>,
    /// Only samples that this actor can review: without any ground truth, and not claimed by another actor.
    pub reviewable_by: Option<String>,
}

/// A piece of a sample's state, to search for without regard to upper and lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StateText(String);

impl StateText {
    /// Reads the text as a client sends it.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for more than 200 characters.
    pub fn parse(text: &str) -> Result<Self> {
        if text.chars().count() > STATE_TEXT_CHARS {
            let message = format!("must have at most {STATE_TEXT_CHARS} characters");
            return Err(Error::invalid("text", message));
        }
        // States are stored as JSON, where some characters are escaped.
        let quoted = serde_json::to_string(text).map_err(Error::internal)?;
        Ok(Self(quoted[1..quoted.len() - 1].to_owned()))
    }
}

/// A page of one list of samples.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SamplePage {
    pub dataset: DatasetId,
    pub query: SampleQuery,
    pub order: SampleOrder,
    pub page: Page<SamplePosition>,
}

/// Pages of samples that were found and are read in chunks, so that the reader can stop when its budget is used up.
pub struct FoundPages {
    db: Database,
    account: AccountId,
    /// The `seq` of each page's samples.
    pages: Vec<Vec<i64>>,
    /// Chunks of samples that are still to be read.
    unread: VecDeque<Vec<SampleSize>>,
    read: HashMap<i64, Arc<Sample>>,
}

impl Datasets {
    /// Finds pages of an account's samples in as many statements as one page takes.
    pub async fn find_pages(&self, account: &AccountId, wanted: &[SamplePage]) -> Result<FoundPages> {
        let queries = wanted.iter().map(|wanted| {
            let mut query = query(&self.db, account, wanted);
            query.clear_selects().column((sample::Entity, sample::Column::Seq));
            query.expr_as(own_bytes(), Alias::new("bytes"));
            query
        });
        let found: Vec<Vec<SampleSize>> = match wanted.iter().any(|wanted| wanted.query.text.is_some()) {
            true => scan_all(&self.db, account, queries.collect()).await?,
            false => union_all(&self.db, queries.collect()).await?,
        };
        let distinct: BTreeMap<i64, SampleSize> =
            found.iter().flatten().map(|size| (size.seq, *size)).collect();
        let distinct: Vec<SampleSize> = distinct.into_values().collect();
        Ok(FoundPages {
            db: self.db.clone(),
            account: account.clone(),
            pages: found.iter().map(|page| page.iter().map(|size| size.seq).collect()).collect(),
            unread: chunks(&distinct, READ, |size| *size).into_iter().map(<[_]>::to_vec).collect(),
            read: HashMap::new(),
        })
    }

    /// Counts the samples of each query in one statement.
    pub async fn count(&self, account: &AccountId, wanted: &[(DatasetId, SampleQuery)]) -> Result<Vec<u64>> {
        let scanned = wanted.iter().any(|(_, query)| query.text.is_some()).then_some(account);
        let queries =
            wanted.iter().map(|(dataset, query)| matching(&self.db, account, dataset, query).into_query());
        count_all(&self.db, scanned, queries).await
    }
}

impl FoundPages {
    /// The bytes that the next samples to be read take in the database, without their answers; `None` when all are
    /// read.
    pub fn next_bytes(&self) -> Option<usize> {
        let next = self.unread.front()?;
        Some(usize::try_from(next.iter().map(|size| size.bytes).sum::<i64>()).unwrap_or_default())
    }

    /// Reads the next samples.
    pub async fn read_next(&mut self) -> Result<Vec<Arc<Sample>>> {
        let next = self.unread.pop_front().unwrap_or_default();
        let rows = sample::Entity::find()
            .filter(sample::Column::AccountId.eq(self.account.as_str()))
            .filter(sample::Column::Seq.is_in(next.iter().map(|size| size.seq)));
        let rows = self.db.in_time(rows.all(self.db.read())).await?;
        let samples = with_answers(&self.db, rows).await?;
        let samples: Vec<Arc<Sample>> = samples.into_iter().map(Arc::new).collect();
        self.read.extend(samples.iter().map(|sample| (sample.seq, sample.clone())));
        Ok(samples)
    }

    /// The pages, with the samples that were read.
    pub fn slices(self, wanted: &[SamplePage]) -> Vec<Slice<Arc<Sample>>> {
        let mut slices = Vec::with_capacity(self.pages.len());
        for (wanted, seqs) in wanted.iter().zip(&self.pages) {
            let found = seqs.iter().filter_map(|seq| self.read.get(seq).cloned()).collect();
            slices.push(slice(wanted, found));
        }
        slices
    }
}

/// Selects the samples that match a query, unordered.
pub(super) fn matching(
    db: &Database,
    account: &AccountId,
    dataset: &DatasetId,
    query: &SampleQuery,
) -> Select<sample::Entity> {
    // The account is a condition on the Judge and not on each sample, so that an index alone can count them.
    let mut owner = Query::select();
    owner
        .column((judge::Entity, judge::Column::AccountId))
        .from(judge::Entity)
        .and_where(judge::Column::Id.eq(dataset.as_str()));
    let own = Expr::SubQuery(None, Box::new(owner.into())).eq(account.as_str());
    let mut select = sample::Entity::find()
        .filter(sample::Column::JudgeId.eq(dataset.as_str()))
        .filter(own)
        .filter(query.filter.condition());
    if let Some(answer) = &query.answer {
        select = select.filter(answer.condition());
    }
    if let Some(StateText(text)) = &query.text {
        select = select.filter(search::occurs(db, (sample::Entity, sample::Column::State), text));
    }
    if let Some(moderation) = &query.moderation {
        select = select.filter(moderation.condition());
    }
    if let Some(reviewer) = &query.reviewable_by {
        let by_nobody_else = unclaimed(db).add(sample::Column::ClaimedBy.eq(reviewer));
        select = select.filter(unlabelled()).filter(by_nobody_else);
    }
    select
}

/// The condition that a sample has no current claim.
pub(super) fn unclaimed(db: &Database) -> Condition {
    let until = Expr::col((sample::Entity, sample::Column::ClaimedUntil));
    Condition::any().add(until.clone().is_null()).add(until.lte(Expr::cust(db.now_ms())))
}

impl AnswerFilter {
    fn condition(&self) -> Expr {
        use sample_answer::{Column, Entity};
        // No stored text contains a NUL, and PostgreSQL rejects one as a parameter.
        let words = [Some(&self.key), self.value.as_ref(), self.truth.as_ref()];
        if words.into_iter().flatten().any(|word| word.contains('\0')) {
            return Expr::Constant(false.into());
        }
        let of_the_sample =
            Expr::col((Entity, Column::SampleSeq)).equals((sample::Entity, sample::Column::Seq));
        let agrees = self.agrees.map(|agrees| {
            let answer = Expr::col((Entity, Column::Value));
            let truth = Expr::col((Entity, Column::Truth));
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

/// Selects one page and one sample more, which tells whether there is a next page.
fn query(db: &Database, account: &AccountId, wanted: &SamplePage) -> sea_orm::sea_query::SelectStatement {
    let mut select = matching(db, account, &wanted.dataset, &wanted.query);
    if let Some(after) = &wanted.page.after {
        select = select.filter(beyond(wanted.order, after, true));
    }
    if let Some(before) = &wanted.page.before {
        select = select.filter(beyond(wanted.order, before, false));
    }
    let (wanted_rows, forward) = match wanted.page.take {
        Take::First(n) => (n, true),
        Take::Last(n) => (n, false),
    };
    let direction = if wanted.order.is_ascending() == forward { Order::Asc } else { Order::Desc };
    let mut query = select.limit(wanted_rows + 1).into_query();
    if let Some(rank) = wanted.order.rank() {
        query.order_by_expr(rank, direction.clone());
    }
    query.order_by_expr(seq(), direction);
    query
}

/// The condition that a sample is after a position in the list, or before it.
fn beyond(order: SampleOrder, position: &SamplePosition, after: bool) -> Expr {
    let greater = order.is_ascending() == after;
    match order.rank() {
        None if greater => seq().gt(position.seq),
        None => seq().lt(position.seq),
        Some(rank) => {
            let here = Expr::tuple([rank, seq()]);
            let there = Expr::tuple([Expr::val(f64::from_bits(position.rank)), Expr::val(position.seq)]);
            if greater { here.gt(there) } else { here.lt(there) }
        }
    }
}

fn seq() -> Expr {
    Expr::col((sample::Entity, sample::Column::Seq))
}

/// Orders what was found and removes the extra sample.
fn slice(wanted: &SamplePage, mut found: Vec<Arc<Sample>>) -> Slice<Arc<Sample>> {
    // The bits of numbers that are not negative have the order of the numbers.
    found.sort_unstable_by_key(|sample| (sample.position(wanted.order).rank, sample.seq));
    if !wanted.order.is_ascending() {
        found.reverse();
    }
    wanted.page.cut(found)
}
