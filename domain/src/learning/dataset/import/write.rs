//! Writes staged samples: reads what the dataset has, then writes in few and short transactions, in statements of many
//! rows, since SQLite has one writer.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use serde_json::json;

use super::{
    ImportFormat, Imported,
    plan::{self, Label, Plan},
    stage::{Staged, StagedSample},
    validate::Target,
};
use crate::{
    Code, Error, Result,
    foundation::{actor::Actor, audit, database::Database},
    learning::{
        dataset::{
            Datasets,
            edit::{self, ChangeNote, Edit},
            purge,
            selection::{SampleRow, lock},
        },
        owner,
        sample::{self, SampleRows, storage},
    },
    money::idempotency::{Claim, store_unpaid},
};
use ports::id::ChangeId;

/// Ground truths per transaction.
const LABELS_AT_ONCE: usize = 500;

/// Returns the counts that writing would have.
pub(super) async fn dry_run(datasets: &Datasets, staged: Staged) -> Result<Imported> {
    Ok(plan::plan(datasets.db.read(), staged).await?.counts)
}

/// Writes ground truths for samples that exist, in parts, and then all new samples at once. If it fails between two
/// parts, importing the file again writes the rest.
pub(super) async fn write(
    datasets: &Datasets,
    staged: Staged,
    format: ImportFormat,
    claim: Option<&Claim>,
) -> Result<Imported> {
    let db = &datasets.db;
    // Read before a transaction begins: on SQLite, no charge can be written meanwhile.
    let newest = purge::newest(db, &staged.target.dataset).await?;
    let Plan { target, new, labels, counts } = plan::plan(db.read(), staged).await?;
    write_labels(db, &target, labels).await?;
    let (tx, _permit) = db.begin_bulk().await?;
    lock_owner(&tx, &target).await?;
    let recorded = recorded_since(&tx, &target, newest).await?;
    let (known, new): (Vec<StagedSample>, Vec<_>) =
        new.into_iter().partition(|row| recorded.contains(&row.hash));
    let counts = Imported {
        imported: counts.imported - known.len(),
        duplicates: counts.duplicates + known.len(),
        ..counts
    };
    let new = new.into_iter().map(|row| SampleRows { sample: row.sample, answers: row.answers });
    let new: Vec<SampleRows> = new.collect();
    let bytes: i64 = new.iter().map(SampleRows::bytes).sum();
    let actor = &target.actor;
    storage::require_room(db, &tx, &actor.account, bytes).await?;
    for rows in chunks(new, sample::ROWS_PER_INSERT) {
        sample::write(&tx, rows).await?;
    }
    let Imported { lines, imported, labelled, duplicates } = counts;
    let change = audit::Change {
        account: &actor.account,
        actor: actor.name(),
        action: audit::Action::DatasetImport,
        target: target.dataset.as_str(),
        detail: json!({
            "format": <&str>::from(format),
            "lines": lines, "imported": imported, "labelled": labelled, "duplicates": duplicates,
        }),
    };
    audit::write(&tx, change).await?;
    if let Some(claim) = claim {
        store_unpaid(&tx, claim, &serde_json::to_value(counts).map_err(Error::internal)?).await?;
    }
    storage::add(&tx, BTreeMap::from([(actor.account.to_string(), bytes)])).await?;
    tx.commit().await?;
    Ok(counts)
}

/// Writes ground truths in several transactions, as one change.
async fn write_labels(db: &Database, target: &Target, mut labels: Vec<Label>) -> Result<()> {
    let actor = &target.actor;
    let history = sample::history_bytes(labels.len(), None);
    storage::require_room(db, db.read(), &actor.account, history).await?;
    let change = ChangeId::new();
    // All code locks samples in this order.
    labels.sort_unstable_by_key(|label| label.seq);
    for labels in chunks(labels, LABELS_AT_ONCE) {
        let (tx, _permit) = db.begin_bulk().await?;
        lock_owner(&tx, target).await?;
        let changes = label_existing(db, &tx, actor, &change, labels).await?;
        let bytes = sample::history_bytes(changes, None);
        storage::add(&tx, BTreeMap::from([(actor.account.to_string(), bytes)])).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// The content hashes of samples that were recorded after `newest`, the `seq` of one.
async fn recorded_since(tx: &impl ConnectionTrait, target: &Target, newest: i64) -> Result<HashSet<String>> {
    use entity::sample::{Column, Entity};
    let hashes = Entity::find()
        .select_only()
        .column(Column::ContentHash)
        .filter(Column::JudgeId.eq(target.dataset.as_str()))
        .filter(Column::Seq.gt(newest))
        .into_tuple::<String>();
    Ok(hashes.all(tx).await?.into_iter().collect())
}

/// Locks the owner of the dataset, so that it stays as it was when the file was validated and other imports wait.
/// Requests through a Judge go on.
///
/// # Errors
/// `NOT_FOUND` without it; `CONFLICT` when it is archived or has a newer version.
async fn lock_owner(tx: &impl ConnectionTrait, target: &Target) -> Result<()> {
    let row = owner::lock(tx, &target.actor.account, &target.dataset).await?;
    if row.archived_at.is_some() {
        return Err(archived());
    }
    if row.version != target.version {
        let message = format!(
            "the Judge has changed in the meantime: its version is now {}; import again",
            row.version
        );
        return Err(Error::new(Code::Conflict, message));
    }
    Ok(())
}

/// Adds ground truth to existing samples and records it in their history, as a re-classification does; returns the
/// number of changes.
async fn label_existing(
    db: &Database,
    tx: &impl ConnectionTrait,
    actor: &Actor,
    change: &ChangeId,
    labels: Vec<Label>,
) -> Result<usize> {
    let seqs: BTreeSet<i64> = labels.iter().map(|label| label.seq).collect();
    let keys: BTreeSet<&str> = labels.iter().map(|label| label.key.as_str()).collect();
    let rows = lock(db, tx, &actor.account, seqs).await?;
    let answers = edit::read_answers(tx, &rows, keys).await?;
    let rows: HashMap<i64, &SampleRow> = rows.iter().map(|row| (row.seq, row)).collect();
    let edits = labels.iter().filter_map(|label| {
        let sample = *rows.get(&label.seq)?;
        let answer = answers.get(&(label.seq, label.key.clone()));
        // Labelled by another request meanwhile, or answered with free text.
        let settled = answer.is_some_and(|answer| answer.truth.is_some() || answer.kind == "text");
        let key = label.key.clone();
        let question = Some(label.question);
        let value = Some(label.value.as_str());
        (!settled).then_some(Edit { sample, key, question, answer, value })
    });
    let edits: Vec<_> = edits.collect();
    edit::write(tx, actor, ChangeNote { id: change, note: None }, &edits).await?;
    Ok(edits.len())
}

/// Splits `items` into vectors of at most `size`.
fn chunks<T>(items: Vec<T>, size: usize) -> impl Iterator<Item = Vec<T>> {
    let mut items = items.into_iter();
    std::iter::from_fn(move || {
        let chunk: Vec<T> = items.by_ref().take(size).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// The error for an import into an archived Judge.
pub(super) fn archived() -> Error {
    Error::new(Code::Conflict, "the Judge is archived; bring it back before you import into it")
}
