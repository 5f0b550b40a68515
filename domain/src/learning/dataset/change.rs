//! Writes a change of ground truths in chunks, each in a transaction of its own, so that charges can be written in
//! between. The first chunk is refused as a whole; once it is written, what no longer fits is left as it is.

use std::collections::BTreeMap;

use serde_json::json;

use super::{
    Datasets, Sample,
    edit::{ChangeNote, Edit, write},
    selection::{SampleRow, SelectedSample, lock, require_unclaimed},
};
use crate::{
    Result,
    foundation::{actor::Actor, audit, database::Database},
    learning::sample::{history_bytes, storage},
};
use ports::id::{ChangeId, SampleId};

/// Maximum samples returned by a change.
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

/// Why ground truths change.
#[derive(Clone, Copy)]
pub(super) struct Reason<'a> {
    /// The name in the audit log.
    pub(super) action: audit::Action,
    /// The actor's note.
    pub(super) note: Option<&'a str>,
}

/// A change that is being written.
pub(super) struct Change<'a> {
    db: &'a Database,
    actor: &'a Actor,
    reason: Reason<'a>,
    /// What the audit log names: the sample, or the Judge, if there is one.
    target: &'a str,
    id: ChangeId,
    /// Ground truths changed so far.
    count: usize,
    /// The `seq` of its entry in the audit log, once anything is written.
    entry: Option<i64>,
}

impl<'a> Change<'a> {
    /// Begins a change of `samples`.
    pub(super) fn new(
        db: &'a Database,
        actor: &'a Actor,
        reason: Reason<'a>,
        samples: &'a [SelectedSample],
    ) -> Self {
        let target = match samples {
            [one] => one.row.id.as_str(),
            [first, rest @ ..] if rest.iter().all(|one| one.row.judge_id == first.row.judge_id) => {
                first.row.judge_id.as_str()
            }
            _ => "",
        };
        Self { db, actor, reason, target, id: ChangeId::new(), count: 0, entry: None }
    }

    /// Returns true once anything is written.
    pub(super) fn has_begun(&self) -> bool {
        self.entry.is_some()
    }

    /// Locks the samples of a chunk.
    ///
    /// # Errors
    /// `CONFLICT` when another actor is reviewing one of them, unless the change has begun.
    pub(super) async fn lock(
        &self,
        tx: &sea_orm::DatabaseTransaction,
        samples: &[SelectedSample],
    ) -> Result<Vec<SampleRow>> {
        let seqs = samples.iter().map(|sample| sample.row.seq);
        let rows = lock(self.db, tx, &self.actor.account, seqs).await?;
        if !self.has_begun() {
            require_unclaimed(&rows, self.actor.name())?;
        }
        Ok(rows)
    }

    /// Checks that the history of so many changed ground truths fits into the account's quota.
    ///
    /// # Errors
    /// `CONFLICT` with the figures.
    pub(super) async fn require_room(&self, changes: usize) -> Result<()> {
        storage::require_room(self.db, self.db.read(), &self.actor.account, self.bytes(changes)).await
    }

    /// The bytes of the history of so many changed ground truths.
    fn bytes(&self, changes: usize) -> i64 {
        history_bytes(changes, self.reason.note)
    }

    /// Writes the edits of a chunk.
    pub(super) async fn write(
        &mut self,
        tx: &sea_orm::DatabaseTransaction,
        edits: &[Edit<'_>],
    ) -> Result<()> {
        let Some(first) = edits.first() else { return Ok(()) };
        write(tx, self.actor, ChangeNote { id: &self.id, note: self.reason.note }, edits).await?;
        self.count += edits.len();
        let detail = json!({ "change": self.id.as_str(), "key": first.key, "ground_truths": self.count });
        let account = &self.actor.account;
        let actor = self.actor.name();
        match self.entry {
            Some(seq) => audit::go_on(tx, seq, &detail).await?,
            None => {
                let action = self.reason.action;
                let entry = audit::Change { account, actor, action, target: self.target, detail };
                self.entry = Some(audit::begin(tx, entry).await?);
            }
        }
        let bytes = BTreeMap::from([(account.to_string(), self.bytes(edits.len()))]);
        Ok(storage::add(tx, bytes).await?)
    }

    /// Reads the first of the samples again.
    pub(super) async fn finish(self, samples: &[SelectedSample]) -> Result<Changed> {
        let ids: Vec<_> =
            samples.iter().take(RETURNED_SAMPLES).map(|one| SampleId::from(one.row.id.clone())).collect();
        let change = self.entry.is_some().then_some(self.id);
        Ok(Changed {
            change,
            count: self.count,
            samples: Datasets::new(self.db.clone()).find_many(&self.actor.account, &ids).await?,
        })
    }
}
