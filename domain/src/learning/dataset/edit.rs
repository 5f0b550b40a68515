//! Writes ground truth to the answer row, the sample row and the label history, which always agree. The caller has
//! locked the samples and owns the transaction.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use entity::{label, sample_answer};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, Statement, Value,
    sea_query::Expr,
};
use serde_json::Map;

use super::{questions::QuestionRef, selection::SampleRow};
use crate::{Result, foundation::actor::Actor};
use ports::id::ChangeId;

/// Rows per statement: databases limit the bound parameters.
const EDITS_PER_STATEMENT: usize = 500;

/// One change of a ground truth.
pub(super) struct Edit<'a> {
    pub(super) sample: &'a SampleRow,
    pub(super) key: String,
    /// The question; required where there is no answer row.
    pub(super) question: Option<QuestionRef>,
    /// The answer row; `None` for a sample without one, such as an imported sample.
    pub(super) answer: Option<&'a AnswerRow>,
    /// The new ground truth; `None` clears it.
    pub(super) value: Option<&'a str>,
}

/// The change that edits belong to.
#[derive(Clone, Copy)]
pub(super) struct ChangeNote<'a> {
    pub(super) id: &'a ChangeId,
    /// The actor's note.
    pub(super) note: Option<&'a str>,
}

/// The parts of an answer row that an edit needs.
pub(super) struct AnswerRow {
    pub(super) kind: String,
    pub(super) truth: Option<String>,
    probabilities: Option<Map<String, serde_json::Value>>,
}

impl Edit<'_> {
    /// Returns true unless the ground truth already has the new value.
    pub(super) fn changes(&self) -> bool {
        self.previous() != self.value
    }

    fn previous(&self) -> Option<&str> {
        self.answer.and_then(|answer| answer.truth.as_deref())
    }

    /// The ground truths that the edit adds to its sample: 1, 0 or -1.
    fn labels_added(&self) -> i32 {
        i32::from(self.value.is_some()) - i32::from(self.previous().is_some())
    }

    /// The probability that the model gave to the new ground truth.
    fn probability(&self) -> Option<f64> {
        self.answer?.probabilities.as_ref()?.get(self.value?)?.as_f64()
    }
}

/// Reads the answer rows of a chunk of samples under `keys`, by sample `seq` and key.
pub(super) async fn read_answers(
    tx: &impl ConnectionTrait,
    samples: &[SampleRow],
    keys: impl IntoIterator<Item = &str>,
) -> Result<HashMap<(i64, String), AnswerRow>> {
    use sample_answer::Column;
    #[derive(FromQueryResult)]
    struct Read {
        sample_seq: i64,
        key: String,
        kind: String,
        truth: Option<String>,
        probabilities: Option<String>,
    }
    let rows = sample_answer::Entity::find()
        .select_only()
        .columns([Column::SampleSeq, Column::Key, Column::Kind, Column::Truth, Column::Probabilities])
        .filter(Column::SampleSeq.is_in(samples.iter().map(|sample| sample.seq)))
        .filter(Column::Key.is_in(keys));
    let mut found = HashMap::new();
    for row in rows.into_model::<Read>().all(tx).await? {
        let probabilities = row.probabilities.and_then(|json| serde_json::from_str(&json).ok());
        let answer = AnswerRow { kind: row.kind, truth: row.truth, probabilities };
        found.insert((row.sample_seq, row.key), answer);
    }
    Ok(found)
}

/// Applies edits, records them as one change with its note and ends the samples' claims.
pub(super) async fn write(
    tx: &impl ConnectionTrait,
    actor: &Actor,
    change: ChangeNote<'_>,
    edits: &[Edit<'_>],
) -> Result<()> {
    let now = Utc::now();
    for edits in edits.chunks(EDITS_PER_STATEMENT) {
        let rows = edits.iter().map(|edit| label_row(edit, actor, change, now));
        label::Entity::insert_many(rows).exec_without_returning(tx).await?;
        let (set, cleared): (Vec<&Edit<'_>>, Vec<_>) = edits.iter().partition(|edit| edit.value.is_some());
        let (set, missing): (Vec<_>, Vec<_>) = set.into_iter().partition(|edit| edit.answer.is_some());
        if !missing.is_empty() {
            let rows = missing.into_iter().map(|edit| answer_row(edit, actor, now));
            sample_answer::Entity::insert_many(rows).exec_without_returning(tx).await?;
        }
        if !set.is_empty() {
            tx.execute_raw(set_truths(tx, actor, now, &set)).await?;
        }
        if !cleared.is_empty() {
            clear_truths(tx, &cleared).await?;
        }
        count_labels(tx, edits).await?;
    }
    Ok(())
}

fn label_row(
    edit: &Edit<'_>,
    actor: &Actor,
    change: ChangeNote<'_>,
    now: DateTime<Utc>,
) -> label::ActiveModel {
    label::ActiveModel {
        seq: NotSet,
        change_id: Set(change.id.to_string()),
        account_id: Set(actor.account.to_string()),
        judge_id: Set(edit.sample.judge_id.clone()),
        sample_seq: Set(edit.sample.seq),
        key: Set(edit.key.clone()),
        previous: Set(edit.previous().map(str::to_owned)),
        value: Set(edit.value.map(str::to_owned)),
        actor: Set(actor.name().to_owned()),
        note: Set(change.note.map(str::to_owned)),
        created_at: Set(now),
    }
}

/// Builds a row for a key that has a ground truth and no answer.
fn answer_row(edit: &Edit<'_>, actor: &Actor, now: DateTime<Utc>) -> sample_answer::ActiveModel {
    let question = edit.question.unwrap_or(QuestionRef { kind: "choice", position: 0 });
    sample_answer::ActiveModel {
        sample_seq: Set(edit.sample.seq),
        key: Set(edit.key.clone()),
        position: Set(question.position),
        judge_id: Set(edit.sample.judge_id.clone()),
        judge_version: Set(edit.sample.judge_version),
        source: Set(edit.sample.source.clone()),
        created_at: Set(edit.sample.created_at),
        kind: Set(question.kind.to_owned()),
        value: Set(None),
        answer: Set(None),
        probability: Set(None),
        probabilities: Set(None),
        squares: Set(None),
        server_model: Set(None),
        truth: Set(edit.value.map(str::to_owned)),
        truth_probability: Set(None),
        truth_by: Set(Some(actor.name().to_owned())),
        truth_at: Set(Some(now)),
    }
}

/// Builds one UPDATE for rows with different ground truths. Both databases name the columns of VALUES `column1`, ….
fn set_truths(
    tx: &impl ConnectionTrait,
    actor: &Actor,
    now: DateTime<Utc>,
    edits: &[&Edit<'_>],
) -> Statement {
    let mut values: Vec<Value> = vec![actor.name().into(), now.into()];
    let mut rows = Vec::with_capacity(edits.len());
    for edit in edits {
        let n = values.len();
        rows.push(format!(
            "(CAST(${} AS BIGINT), CAST(${} AS TEXT), CAST(${} AS TEXT), CAST(${} AS DOUBLE PRECISION))",
            n + 1,
            n + 2,
            n + 3,
            n + 4
        ));
        values.push(edit.sample.seq.into());
        values.push(edit.key.as_str().into());
        values.push(edit.value.into());
        values.push(edit.probability().into());
    }
    let sql = format!(
        "UPDATE sample_answer SET truth = v.column3, truth_probability = v.column4, truth_by = $1, truth_at = $2 \
         FROM (VALUES {}) AS v WHERE sample_answer.sample_seq = v.column1 AND sample_answer.key = v.column2",
        rows.join(", ")
    );
    Statement::from_sql_and_values(tx.get_database_backend(), sql, values)
}

async fn clear_truths(tx: &impl ConnectionTrait, edits: &[&Edit<'_>]) -> Result<()> {
    use sample_answer::Column;
    let mut by_key: HashMap<&str, Vec<i64>> = HashMap::new();
    for edit in edits {
        by_key.entry(&edit.key).or_default().push(edit.sample.seq);
    }
    for (key, seqs) in by_key {
        let text = Expr::value(None::<String>);
        let number = Expr::value(None::<f64>);
        sample_answer::Entity::update_many()
            .col_expr(Column::Truth, text.clone())
            .col_expr(Column::TruthProbability, number)
            .col_expr(Column::TruthBy, text)
            .col_expr(Column::TruthAt, Expr::value(None::<DateTime<Utc>>))
            .filter(Column::Key.eq(key))
            .filter(Column::SampleSeq.is_in(seqs))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Updates the number of ground truths of each sample and ends its claim.
async fn count_labels(tx: &impl ConnectionTrait, edits: &[Edit<'_>]) -> Result<()> {
    let mut added: BTreeMap<i64, i32> = BTreeMap::new();
    for edit in edits {
        *added.entry(edit.sample.seq).or_default() += edit.labels_added();
    }
    let mut values: Vec<Value> = Vec::with_capacity(added.len() * 2);
    let mut rows = Vec::with_capacity(added.len());
    for (seq, added) in added {
        let n = values.len();
        rows.push(format!("(CAST(${} AS BIGINT), CAST(${} AS INTEGER))", n + 1, n + 2));
        values.extend([seq.into(), added.into()]);
    }
    let sql = format!(
        "UPDATE sample SET labels = labels + v.column2, claimed_by = NULL, claimed_until = NULL \
         FROM (VALUES {}) AS v WHERE sample.seq = v.column1",
        rows.join(", ")
    );
    tx.execute_raw(Statement::from_sql_and_values(tx.get_database_backend(), sql, values)).await?;
    Ok(())
}
