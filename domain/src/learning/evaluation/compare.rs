//! Two evaluations side by side, on the samples that both answered under the same ground truth.

use std::collections::BTreeMap;

use entity::{evaluation_answer, sample};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::{
    run::{kind, outcome},
    store::{Evaluation, find},
};
use crate::{
    Code, Error, Result,
    background::job::State,
    foundation::{
        database::Database,
        page::{Page, Slice, Take},
    },
    learning::{
        agreement::{self, Difference, KeyMetrics, Outcome, Pair, Verdict},
        judge,
    },
};
use ports::id::{AccountId, EvaluationId, SampleId};

/// Two evaluations of a Judge, side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub old: Evaluation,
    pub new: Evaluation,
    /// Metrics of the old and the new one, and their difference, of each key, on what both answered.
    pub keys: Vec<(KeyMetrics, KeyMetrics, Option<Difference>)>,
    /// Over all keys.
    pub difference: Option<Difference>,
    pub verdict: Verdict,
    /// The number of answers that differ.
    pub changed: u64,
    /// A page of them, by sample.
    pub changes: Slice<Change>,
}

/// An answer that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub position: ChangePosition,
    pub sample: SampleId,
    pub key: String,
    pub truth: String,
    /// `None` for an abstention.
    pub old: Option<String>,
    /// `None` for an abstention.
    pub new: Option<String>,
}

/// The position of a change among all of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangePosition {
    pub seq: i64,
    pub key: String,
}

/// Compares two evaluations of one Judge.
///
/// # Errors
/// `NOT_FOUND` without one of them; `VALIDATION_FAILED` for evaluations of different Judges; `CONFLICT` unless both have
/// succeeded.
pub async fn compare(
    db: &Database,
    account: &AccountId,
    (old, new): (&EvaluationId, &EvaluationId),
    page: Page<ChangePosition>,
) -> Result<Comparison> {
    let old = find(db, account, old).await?;
    let new = find(db, account, new).await?;
    if old.judge != new.judge {
        return Err(Error::invalid("new", "must be an evaluation of the same Judge"));
    }
    for one in [&old, &new] {
        if one.state != State::Succeeded {
            let message =
                format!("{} is {}; only what has succeeded can be compared", one.id, one.state.as_str());
            return Err(Error::new(Code::Conflict, message));
        }
    }
    let before = answers(db, &old.id).await?;
    let mut after = answers(db, &new.id).await?;
    let version = judge::version(db, &new.judge, new.version).await?;
    let questions = judge::questions(&version.instructions)?;
    let position = |key: &str| questions.iter().position(|question| question.key == key);
    let mut pairs = Vec::new();
    let mut changes = Vec::new();
    for (at, old) in before {
        let Some(new) = after.remove(&at).filter(|new| new.truth == old.truth) else { continue };
        let Some(key) = position(&at.key) else { continue };
        let sample = usize::try_from(at.seq).unwrap_or_default();
        let answered = |outcome: &Outcome| outcome.probability.and(outcome.value.clone());
        if answered(&old) != answered(&new) {
            changes.push((at, old.truth.clone(), answered(&old), answered(&new)));
        }
        pairs.push(Pair { sample, key, new, old });
    }
    let names: Vec<&str> = questions.iter().map(|question| question.key.as_str()).collect();
    let of_key = |(at, question): (usize, &ports::decision::Question)| {
        let pairs: Vec<&Pair> = pairs.iter().filter(|pair| pair.key == at).collect();
        let of = |side: fn(&Pair) -> &Outcome| {
            let outcomes: Vec<&Outcome> = pairs.iter().map(|pair| side(pair)).collect();
            agreement::metrics(&question.key, kind(question), &outcomes)
        };
        let difference = agreement::difference(pairs.iter().copied());
        (!pairs.is_empty()).then(|| (of(|pair| &pair.old), of(|pair| &pair.new), difference))
    };
    let keys = questions.iter().enumerate().filter_map(of_key).collect();
    let changed = changes.len() as u64;
    let changes = cut(db, account, changes, page).await?;
    let difference = agreement::difference(&pairs);
    let verdict = agreement::verdict(&pairs, &names);
    Ok(Comparison { keys, difference, verdict, changed, changes, old, new })
}

async fn answers(db: &Database, id: &EvaluationId) -> Result<BTreeMap<ChangePosition, Outcome>> {
    let rows = evaluation_answer::Entity::find()
        .filter(evaluation_answer::Column::EvaluationId.eq(id.as_str()))
        .all(db.read());
    let position =
        |row: &evaluation_answer::Model| ChangePosition { seq: row.sample_seq, key: row.key.clone() };
    Ok(db.in_time(rows).await?.into_iter().map(|row| (position(&row), outcome(row))).collect())
}

type Changed = (ChangePosition, String, Option<String>, Option<String>);

/// A page of the changes, with the ids of their samples.
async fn cut(
    db: &Database,
    account: &AccountId,
    changes: Vec<Changed>,
    page: Page<ChangePosition>,
) -> Result<Slice<Change>> {
    let inside = |(at, ..): &Changed| {
        page.after.as_ref().is_none_or(|after| at > after)
            && page.before.as_ref().is_none_or(|before| at < before)
    };
    let mut rows: Vec<Changed> = changes.into_iter().filter(inside).collect();
    // One more than the page, which tells whether there are more.
    match page.take {
        Take::First(n) => rows.truncate(usize::try_from(n + 1).unwrap_or(usize::MAX)),
        Take::Last(n) => {
            let all = rows.len();
            drop(rows.drain(..all.saturating_sub(usize::try_from(n + 1).unwrap_or(usize::MAX))));
        }
    }
    let ids: BTreeMap<i64, String> = sample::Entity::find()
        .select_only()
        .columns([sample::Column::Seq, sample::Column::Id])
        .filter(sample::Column::AccountId.eq(account.as_str()))
        .filter(sample::Column::Seq.is_in(rows.iter().map(|(at, ..)| at.seq)))
        .into_tuple::<(i64, String)>()
        .all(db.read())
        .await?
        .into_iter()
        .collect();
    let change = |(position, truth, old, new): Changed| {
        let sample = SampleId::from(ids.get(&position.seq)?.clone());
        Some(Change { sample, key: position.key.clone(), truth, old, new, position })
    };
    Ok(page.cut(rows.into_iter().filter_map(change).collect()))
}
