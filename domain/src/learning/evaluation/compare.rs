//! Two evaluations side by side, on the samples that both answered under the same ground truth, and on which neither
//! was trained.

use std::collections::BTreeMap;

use entity::evaluation_answer;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::{
    answer_list::{AnswerPosition, sample_ids},
    answers::graded,
    evaluations::Evaluations,
    store::Evaluation,
};
use crate::{
    Code, Error, Result,
    background::job::JobState,
    foundation::{
        database::Database,
        page::{Page, Slice, Take},
    },
    learning::agreement::{self, ComparedKey, Difference, GradedAnswer, Pair, Verdict},
};
use ports::decision::Question;
use ports::id::{AccountId, EvaluationId, SampleId};

/// Two evaluations of a Judge, side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub old: Evaluation,
    pub new: Evaluation,
    /// Each key that both answered.
    pub keys: Vec<ComparedKey>,
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
    pub position: AnswerPosition,
    pub sample: SampleId,
    pub key: String,
    pub truth: String,
    /// `None` for an abstention.
    pub old: Option<String>,
    /// `None` for an abstention.
    pub new: Option<String>,
}

impl Evaluations {
    /// Compares two evaluations of one Judge.
    ///
    /// # Errors
    /// `NOT_FOUND` without one of them; `VALIDATION_FAILED` for evaluations of different Judges; `CONFLICT` unless both
    /// have succeeded.
    pub async fn compare(
        &self,
        account: &AccountId,
        old: &EvaluationId,
        new: &EvaluationId,
        page: Page<AnswerPosition>,
    ) -> Result<Comparison> {
        let db = &self.paid.db;
        let old = self.find(account, old).await?;
        let new = self.find(account, new).await?;
        if old.judge != new.judge {
            return Err(Error::invalid("new", "must be an evaluation of the same Judge"));
        }
        require_succeeded(&old)?;
        require_succeeded(&new)?;
        let before = answers(db, &old.id).await?;
        let mut after = answers(db, &new.id).await?;
        let version = self.judges.find_version(&new.judge, new.version).await?;
        let questions = version.questions()?;
        let mut pairs = Vec::new();
        let mut changes = Vec::new();
        for (position, old) in before {
            let Some(new) = after.remove(&position).filter(|new| new.truth == old.truth) else { continue };
            let key = questions.iter().position(|question| question.key == position.key);
            let Some(key) = key else { continue };
            let sample = usize::try_from(position.seq).unwrap_or_default();
            if answered(&old) != answered(&new) {
                let truth = old.truth.clone();
                changes.push(Changed { position, truth, old: answered(&old), new: answered(&new) });
            }
            pairs.push(Pair { sample, key, new, old });
        }
        // A bootstrap for each key.
        let compared = tokio::task::spawn_blocking(move || Compared::of(&questions, &pairs));
        let Compared { keys, difference, verdict } = compared.await.map_err(Error::internal)?;
        Ok(Comparison {
            keys,
            difference,
            verdict,
            changed: changes.len() as u64,
            changes: page_of(db, account, changes, page).await?,
            old,
            new,
        })
    }
}

/// What the answers of two evaluations say.
struct Compared {
    keys: Vec<ComparedKey>,
    difference: Option<Difference>,
    verdict: Verdict,
}

impl Compared {
    fn of(questions: &[Question], pairs: &[Pair]) -> Self {
        let names: Vec<&str> = questions.iter().map(|question| question.key.as_str()).collect();
        let difference = agreement::difference(pairs);
        Self {
            keys: agreement::compare_keys(questions, pairs),
            verdict: agreement::verdict(difference.as_ref(), pairs, &names),
            difference,
        }
    }
}

/// # Errors
/// `CONFLICT` unless an evaluation has succeeded.
pub(super) fn require_succeeded(one: &Evaluation) -> Result<()> {
    if one.state == JobState::Succeeded {
        return Ok(());
    }
    let message = format!("{} is {}; only what has succeeded can be compared", one.id, one.state.as_str());
    Err(Error::new(Code::Conflict, message))
}

/// The answers about samples that the Checkpoint was not trained on.
pub(super) async fn answers(
    db: &Database,
    id: &EvaluationId,
) -> Result<BTreeMap<AnswerPosition, GradedAnswer>> {
    let rows = evaluation_answer::Entity::find()
        .filter(evaluation_answer::Column::EvaluationId.eq(id.as_str()))
        .filter(evaluation_answer::Column::Trained.eq(false))
        .all(db.read());
    let rows = db.in_time(rows).await?;
    let answers = rows.into_iter().map(|row| {
        let position = AnswerPosition { seq: row.sample_seq, key: row.key.clone() };
        (position, graded(row))
    });
    Ok(answers.collect())
}

/// The answer; `None` for an abstention.
fn answered(graded: &GradedAnswer) -> Option<String> {
    graded.probability.and(graded.value.clone())
}

/// An answer that differs, before the id of its sample is read.
struct Changed {
    position: AnswerPosition,
    truth: String,
    old: Option<String>,
    new: Option<String>,
}

/// A page of the changes, with the ids of their samples.
async fn page_of(
    db: &Database,
    account: &AccountId,
    changes: Vec<Changed>,
    page: Page<AnswerPosition>,
) -> Result<Slice<Change>> {
    let inside = changes.into_iter().filter(|Changed { position, .. }| {
        page.after.as_ref().is_none_or(|after| position > after)
            && page.before.as_ref().is_none_or(|before| position < before)
    });
    let mut rows: Vec<Changed> = inside.collect();
    // One more than the page, which tells whether there are more.
    match page.take {
        Take::First(n) => rows.truncate(usize::try_from(n + 1).unwrap_or(usize::MAX)),
        Take::Last(n) => {
            let all = rows.len();
            drop(rows.drain(..all.saturating_sub(usize::try_from(n + 1).unwrap_or(usize::MAX))));
        }
    }
    let seqs = rows.iter().map(|row| row.position.seq);
    let ids = sample_ids(db, account, seqs).await?;
    let changes = rows.into_iter().filter_map(|Changed { position, truth, old, new }| {
        let sample = ids.get(&position.seq)?.clone();
        Some(Change { sample, key: position.key.clone(), truth, old, new, position })
    });
    Ok(page.cut(changes.collect()))
}
