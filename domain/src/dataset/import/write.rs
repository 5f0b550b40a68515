//! What was staged, into rows: first what the dataset has already, then everything in one transaction, in statements of many
//! rows, since on SQLite nobody else writes meanwhile.

use std::collections::{BTreeSet, HashMap};

use entity::{judge, label, sample, sample_answer};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, LockType, OnConflict, Query},
};
use serde_json::json;

use super::{
    draft::Target,
    known::{self, Label, Plan},
    run::{Format, Imported, archived},
    stage::{Row, Staged, probability, value},
};
use crate::{Code, Error, Result, audit, database::Database, id::ChangeId};

/// Samples in one statement.
const SAMPLES: usize = 1_000;
/// Other rows in one statement.
const ROWS: usize = 1_000;

/// Says what writing would come to.
pub(super) async fn rehearse(db: &Database, staged: Staged) -> Result<Imported> {
    Ok(known::plan(db, db.read(), staged).await?.counts)
}

/// Writes all of it, or nothing.
pub(super) async fn write(db: &Database, staged: Staged, format: Format) -> Result<Imported> {
    let tx = db.begin().await?;
    hold(&tx, &staged.target).await?;
    let Plan { target, new, labels, counts } = known::plan(db, &tx, staged).await?;
    for rows in chunks(new, SAMPLES) {
        insert(&tx, rows).await?;
    }
    let change = ChangeId::new();
    for labels in chunks(labels, ROWS) {
        set(&tx, &target, &change, labels).await?;
    }
    let Imported { lines, imported, labelled, duplicates } = counts;
    let change = audit::Change {
        account: &target.account,
        actor: &target.actor,
        action: "dataset.import",
        target: target.judge.as_str(),
        detail: json!({
            "format": format.as_str(),
            "lines": lines, "imported": imported, "labelled": labelled, "duplicates": duplicates,
        }),
    };
    audit::write(&tx, change).await?;
    tx.commit().await?;
    Ok(counts)
}

/// Keeps the Judge as it was when the file was checked, and other imports away; requests through it go on.
async fn hold(tx: &impl ConnectionTrait, target: &Target) -> Result<()> {
    let row = judge::Entity::find_by_id(target.judge.as_str())
        .filter(judge::Column::AccountId.eq(target.account.as_str()))
        .lock(LockType::NoKeyUpdate);
    let row = row.one(tx).await?.ok_or_else(|| Error::new(Code::NotFound, "there is no such Judge"))?;
    if row.archived_at.is_some() {
        return Err(archived());
    }
    if row.version != target.version {
        let message =
            format!("the Judge has changed meanwhile: its version is {} now; import again", row.version);
        return Err(Error::new(Code::Conflict, message));
    }
    Ok(())
}

async fn insert(tx: &impl ConnectionTrait, rows: Vec<Row>) -> Result<()> {
    let (mut samples, mut answers) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows {
        answers.push((text(&row.sample.id), row.answers));
        samples.push(row.sample);
    }
    let mut insert = sample::Entity::insert_many(samples).into_query();
    insert.returning(Query::returning().columns([sample::Column::Id, sample::Column::Seq]));
    let mut seqs = HashMap::with_capacity(answers.len());
    for row in tx.query_all(&insert).await? {
        seqs.insert(row.try_get::<String>("", "id")?, row.try_get::<i64>("", "seq")?);
    }
    let mut of_all = Vec::new();
    for (id, answers) in answers {
        let seq = seqs.get(&id).copied().ok_or(DbErr::RecordNotInserted)?;
        of_all.extend(
            answers.into_iter().map(|answer| sample_answer::ActiveModel { sample_seq: Set(seq), ..answer }),
        );
    }
    for answers in chunks(of_all, ROWS) {
        sample_answer::Entity::insert_many(answers).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// Gives samples that were there a ground truth, as a re-classification does, with its trail.
async fn set(
    tx: &impl ConnectionTrait,
    target: &Target,
    change: &ChangeId,
    labels: Vec<Label>,
) -> Result<()> {
    use sample_answer::Column;
    let seqs: BTreeSet<i64> = labels.iter().map(|label| label.seq).collect();
    let samples = sample::Entity::find().filter(sample::Column::Seq.is_in(seqs.iter().copied()));
    let samples = samples.lock(LockType::NoKeyUpdate).all(tx).await?;
    let samples: HashMap<i64, sample::Model> = samples.into_iter().map(|row| (row.seq, row)).collect();
    let there = sample_answer::Entity::find().filter(Column::SampleSeq.is_in(seqs.iter().copied()));
    let there: HashMap<(i64, String), sample_answer::Model> =
        there.all(tx).await?.into_iter().map(|row| ((row.sample_seq, row.key.clone()), row)).collect();
    let now = chrono::Utc::now();
    let (mut answers, mut trail) = (Vec::with_capacity(labels.len()), Vec::with_capacity(labels.len()));
    for Label { seq, answer } in labels {
        let (key, truth) = (text(&answer.key), value(&answer.truth).map(str::to_owned));
        let old = there.get(&(seq, key.clone()));
        // Gone, or labelled by somebody else, a moment ago.
        let Some(sample) = samples.get(&seq).filter(|_| old.is_none_or(|old| old.truth.is_none())) else {
            continue;
        };
        let said = old.and_then(|old| old.probabilities.as_deref());
        trail.push(label::ActiveModel {
            change_id: Set(change.to_string()),
            account_id: Set(target.account.to_string()),
            judge_id: Set(target.judge.to_string()),
            sample_seq: Set(seq),
            key: Set(key),
            previous: Set(None),
            value: Set(truth.clone()),
            actor: Set(target.actor.clone()),
            created_at: Set(now),
            ..Default::default()
        });
        answers.push(sample_answer::ActiveModel {
            sample_seq: Set(seq),
            judge_version: Set(sample.judge_version),
            source: Set(sample.source.clone()),
            created_at: Set(sample.created_at),
            value: Set(None),
            answer: Set(None),
            probability: Set(None),
            probabilities: Set(None),
            squares: Set(None),
            truth_probability: Set(probability(said, truth.as_deref())),
            truth_at: Set(Some(now)),
            ..answer
        });
    }
    if answers.is_empty() {
        return Ok(());
    }
    let truth = [Column::Truth, Column::TruthProbability, Column::TruthBy, Column::TruthAt];
    let over = OnConflict::columns([Column::SampleSeq, Column::Key]).update_columns(truth).to_owned();
    sample_answer::Entity::insert_many(answers).on_conflict(over).exec_without_returning(tx).await?;
    label::Entity::insert_many(trail).exec_without_returning(tx).await?;
    let count = "(SELECT CAST(COUNT(*) AS INTEGER) FROM sample_answer a WHERE a.sample_seq = sample.seq AND a.truth IS NOT NULL)";
    sample::Entity::update_many()
        .col_expr(sample::Column::Labels, Expr::cust(count))
        .filter(sample::Column::Seq.is_in(seqs))
        .exec(tx)
        .await?;
    Ok(())
}

/// What is set in a column.
fn text(column: &sea_orm::ActiveValue<String>) -> String {
    column.try_as_ref().cloned().unwrap_or_default()
}

/// Pieces of at most `size`, by value.
fn chunks<T>(items: Vec<T>, size: usize) -> impl Iterator<Item = Vec<T>> {
    let mut items = items.into_iter();
    std::iter::from_fn(move || {
        let chunk: Vec<T> = items.by_ref().take(size).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
}
