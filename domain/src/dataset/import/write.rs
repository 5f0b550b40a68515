//! What was staged, into rows: first what the dataset has already, then everything in one transaction, in statements of many
//! rows, since on SQLite nobody else writes meanwhile.

use std::collections::{BTreeSet, HashMap};

use entity::sample as sample_row;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use serde_json::json;

use super::{
    draft::Target,
    plan::{self, Label, Plan},
    run::{Format, Imported, archived},
    stage::Staged,
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
    judge, sample,
};

/// Ground truths in one statement.
const ROWS: usize = 1_000;

/// Says what writing would come to.
pub(super) async fn rehearse(db: &Database, staged: Staged) -> Result<Imported> {
    Ok(plan::plan(db, db.read(), staged).await?.counts)
}

/// Writes all of it, or nothing.
pub(super) async fn write(db: &Database, staged: Staged, format: Format) -> Result<Imported> {
    let tx = db.begin().await?;
    hold(&tx, &staged.target).await?;
    let Plan { target, new, mut labels, counts } = plan::plan(db, &tx, staged).await?;
    for rows in chunks(new, sample::ROWS) {
        sample::write(&tx, rows.into_iter().map(|row| (row.sample, row.answers)).collect()).await?;
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
    let row = judge::lock(tx, &target.actor.account, &target.judge).await?;
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

/// Gives samples that were there a ground truth, as a re-classification does, with its trail.
async fn set(
    db: &Database,
    tx: &impl ConnectionTrait,
    actor: &Actor,
    change: &ChangeId,
    labels: Vec<Label>,
) -> Result<()> {
    let seqs: BTreeSet<i64> = labels.iter().map(|label| label.seq).collect();
    let select = sample_row::Entity::find()
        .filter(sample_row::Column::AccountId.eq(actor.account.as_str()))
        .filter(sample_row::Column::Seq.is_in(seqs));
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

/// Pieces of at most `size`, by value.
fn chunks<T>(items: Vec<T>, size: usize) -> impl Iterator<Item = Vec<T>> {
    let mut items = items.into_iter();
    std::iter::from_fn(move || {
        let chunk: Vec<T> = items.by_ref().take(size).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
}
