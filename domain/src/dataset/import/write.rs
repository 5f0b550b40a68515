//! What was staged, into rows: first what the dataset has already, then everything in one transaction, in statements of many
//! rows, since on SQLite nobody else writes meanwhile.

use std::collections::{BTreeSet, HashMap};

use entity::{judge, sample, sample_answer};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{LockType, Query},
};
use serde_json::json;

use super::{
    draft::Target,
    known::{self, Label, Plan},
    run::{Format, Imported, archived},
    stage::{Row, Staged},
};
use crate::{
    Code, Error, Result,
    actor::Actor,
    audit,
    database::Database,
    dataset::{
        edit::{self, Edit},
        selection::{Locked, lock},
    },
    id::ChangeId,
};

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
    let Plan { target, new, mut labels, counts } = known::plan(db, &tx, staged).await?;
    for rows in chunks(new, SAMPLES) {
        insert(&tx, rows).await?;
    }
    let (actor, change) = (&target.actor, ChangeId::new());
    // Everybody locks samples in this order.
    labels.sort_unstable_by_key(|label| label.seq);
    for labels in chunks(labels, ROWS) {
        set(db, &tx, actor, &change, labels).await?;
    }
    let Imported { lines, imported, labelled, duplicates } = counts;
    let change = audit::Change {
        account: &actor.account,
        actor: actor.name(),
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
        .filter(judge::Column::AccountId.eq(target.actor.account.as_str()))
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
    db: &Database,
    tx: &impl ConnectionTrait,
    actor: &Actor,
    change: &ChangeId,
    labels: Vec<Label>,
) -> Result<()> {
    let seqs: BTreeSet<i64> = labels.iter().map(|label| label.seq).collect();
    let select = sample::Entity::find()
        .filter(sample::Column::AccountId.eq(actor.account.as_str()))
        .filter(sample::Column::Seq.is_in(seqs));
    let rows = lock(select, db, tx).await?;
    let known = edit::known(tx, &rows).await?;
    let rows: HashMap<i64, &Locked> = rows.iter().map(|row| (row.seq, row)).collect();
    let edits = labels.iter().filter_map(|label| {
        let sample = *rows.get(&label.seq)?;
        let known = known.get(&(label.seq, label.key.clone()));
        // Labelled by somebody else a moment ago, or answered in words.
        let taken = known.is_some_and(|known| known.truth.is_some() || known.kind == "text");
        let (key, asked, value) = (label.key.clone(), Some(label.asked), Some(label.value.as_str()));
        (!taken).then_some(Edit { sample, key, asked, known, value })
    });
    let edits: Vec<_> = edits.collect();
    edit::write(tx, actor, change, &edits).await
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
