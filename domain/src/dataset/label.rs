//! Ground truth of samples: set, changed, cleared and undone, for all selected samples or for none. Every change is
//! recorded with the previous value in the same transaction.

use std::collections::HashMap;

use entity::label;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, QueryTrait,
    Statement,
};
use serde_json::json;

use super::{
    Sample, Selection,
    edit::{Edit, read_answers, write},
    questions::SampleQuestions,
    sample::find_many,
    selection::{LockedSample, lock, require_unclaimed},
};
use crate::{
    Code, Error, Result,
    actor::{Actor, Role},
    audit,
    database::Database,
    id::{ChangeId, SampleId},
};

/// Samples returned by a change, at most.
pub const RETURNED_SAMPLES: usize = 100;

/// The result of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The id that undoes it; `None` when nothing changed.
    pub change: Option<ChangeId>,
    /// The number of ground truths that changed.
    pub count: usize,
    /// The first hundred of the samples, as they are now.
    pub samples: Vec<Sample>,
}

/// Sets or clears the ground truth under one key of the selected samples.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` when one of the samples does not exist; `VALIDATION_FAILED` when one of
/// them has no question under the key, or the value is not one of its choices; `CONFLICT` when another actor is
/// reviewing one of them. Nothing is changed then.
pub async fn reclassify(
    db: &Database,
    actor: &Actor,
    selection: &Selection,
    key: &str,
    value: Option<&str>,
) -> Result<Changed> {
    actor.require(Role::Editor)?;
    let tx = db.begin().await?;
    let rows = selection.lock(db, &tx, &actor.account).await?;
    require_unclaimed(&rows, actor.name())?;
    let questions = SampleQuestions::of(&tx, &actor.account, &rows).await?;
    let answers = read_answers(&tx, &rows).await?;
    let mut edits = Vec::new();
    for row in &rows {
        let question = questions.check(row, key, value)?;
        let answer = answers.get(&(row.seq, key.to_owned()));
        if answer.is_some_and(|answer| answer.kind == "text") {
            return Err(Error::invalid("key", "was answered in words, which have no ground truth"));
        }
        let edit = Edit { sample: row, key: key.to_owned(), question: Some(question), answer, value };
        edits.extend(edit.changes().then_some(edit));
    }
    let action = if value.is_some() { "sample.reclassify" } else { "sample.clear_ground_truth" };
    let change = record(&tx, actor, action, &edits).await?;
    tx.commit().await?;
    changed(db, actor, change, edits.len(), &rows).await
}

/// Restores the ground truths that a change replaced. The undo is a change of its own and can be undone.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a change; `CONFLICT` when any of it has been changed since,
/// or another actor is reviewing one of the samples. Nothing is changed then.
pub async fn undo(db: &Database, actor: &Actor, change: &ChangeId) -> Result<Changed> {
    actor.require(Role::Editor)?;
    let tx = db.begin().await?;
    let labels_of_change = label::Entity::find()
        .filter(label::Column::ChangeId.eq(change.as_str()))
        .filter(label::Column::AccountId.eq(actor.account.as_str()));
    let seqs = labels_of_change.clone().select_only().column(label::Column::SampleSeq).into_query();
    let samples = entity::sample::Entity::find()
        .filter(entity::sample::Column::AccountId.eq(actor.account.as_str()))
        .filter(entity::sample::Column::Seq.in_subquery(seqs));
    let rows = lock(samples, db, &tx).await?;
    let labels = labels_of_change.all(&tx).await?;
    if labels.is_empty() {
        return Err(change_not_found());
    }
    require_unclaimed(&rows, actor.name())?;
    let answers = read_answers(&tx, &rows).await?;
    let (mut edits, mut changed_since) = (Vec::new(), count_later_changes(&tx, change).await?);
    let by_seq: HashMap<i64, &LockedSample> = rows.iter().map(|row| (row.seq, row)).collect();
    for label in &labels {
        let row = by_seq.get(&label.sample_seq);
        let now = answers.get(&(label.sample_seq, label.key.clone()));
        match (row, now) {
            (Some(row), Some(now)) if now.truth == label.value => {
                let value = label.previous.as_deref();
                edits.push(Edit {
                    sample: row,
                    key: label.key.clone(),
                    question: None,
                    answer: Some(now),
                    value,
                });
            }
            _ => changed_since = changed_since.max(1),
        }
    }
    if changed_since > 0 {
        let all = labels.len();
        let message = format!("{changed_since} of the {all} ground truths of this change have changed since");
        return Err(Error::new(Code::Conflict, message));
    }
    let undone = record(&tx, actor, "sample.undo", &edits).await?;
    tx.commit().await?;
    changed(db, actor, undone, edits.len(), &rows).await
}

impl ChangeId {
    /// Parses an id from a client: a malformed id is a change that does not exist.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(text).ok_or_else(change_not_found)
    }
}

fn change_not_found() -> Error {
    Error::new(Code::NotFound, "there is no such change")
}

/// Counts the ground truths of a change that were changed after it.
async fn count_later_changes(tx: &impl ConnectionTrait, change: &ChangeId) -> Result<i64> {
    #[derive(FromQueryResult)]
    struct Counted {
        n: i64,
    }
    let sql = "SELECT COUNT(*) AS n FROM label mine WHERE mine.change_id = $1 AND EXISTS (SELECT 1 FROM label later \
               WHERE later.sample_seq = mine.sample_seq AND later.key = mine.key AND later.seq > mine.seq)";
    let statement = Statement::from_sql_and_values(tx.get_database_backend(), sql, [change.as_str().into()]);
    Ok(Counted::find_by_statement(statement).one(tx).await?.map_or(0, |counted| counted.n))
}

/// Records edits as one change; returns `None` when there are none.
async fn record(
    tx: &impl ConnectionTrait,
    actor: &Actor,
    action: &'static str,
    edits: &[Edit<'_>],
) -> Result<Option<ChangeId>> {
    let Some(first) = edits.first() else { return Ok(None) };
    let change = ChangeId::new();
    write(tx, actor, &change, edits).await?;
    let of_one_judge = edits.iter().all(|edit| edit.sample.judge_id == first.sample.judge_id);
    let target = match edits {
        [one] => one.sample.id.as_str(),
        _ if of_one_judge => first.sample.judge_id.as_str(),
        _ => "",
    };
    let detail = json!({ "change": change.as_str(), "key": first.key, "ground_truths": edits.len() });
    let entry = audit::Change { account: &actor.account, actor: actor.name(), action, target, detail };
    audit::write(tx, entry).await?;
    Ok(Some(change))
}

async fn changed(
    db: &Database,
    actor: &Actor,
    change: Option<ChangeId>,
    count: usize,
    rows: &[LockedSample],
) -> Result<Changed> {
    let ids: Vec<_> = rows.iter().take(RETURNED_SAMPLES).map(|row| SampleId::from(row.id.clone())).collect();
    Ok(Changed { change, count, samples: find_many(db, &actor.account, &ids).await? })
}
