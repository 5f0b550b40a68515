//! Undoes a change of ground truths. An undo is a change like any other.

use std::collections::{BTreeSet, HashMap, HashSet};

use entity::{label, sample, sample_answer};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Alias, Expr, ExprTrait, Query},
};

use super::{
    Datasets,
    change::{Change, Changed, Reason},
    chunk::{WRITE, chunks},
    edit::{Edit, read_answers},
    review::require_reviewer,
    selection::{SampleRow, SelectedSample, read, require_unclaimed},
};
use crate::{
    Code, Error, Result,
    foundation::{actor::Actor, audit},
};
use ports::id::ChangeId;

impl Datasets {
    /// Restores the ground truths that a change replaced. The undo is a change of its own and can be undone. When the
    /// database fails midway, the ground truths restored until then stay restored.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a change; `CONFLICT` when any of it has been changed since,
    /// another actor is reviewing one of the samples, or the account's quota has no room for the history. Nothing is
    /// changed then.
    pub async fn undo(&self, actor: &Actor, change: &ChangeId) -> Result<Changed> {
        actor.require_moderator()?;
        let of_change = label::Entity::find()
            .filter(label::Column::ChangeId.eq(change.as_str()))
            .filter(label::Column::AccountId.eq(actor.account.as_str()));
        let seqs = of_change.clone().select_only().column(label::Column::SampleSeq).into_query();
        let keys = of_change.clone().select_only().column(label::Column::Key).into_query();
        let selected = sample::Entity::find()
            .filter(sample::Column::AccountId.eq(actor.account.as_str()))
            .filter(sample::Column::Seq.in_subquery(seqs));
        let answers = Condition::all().add(sample_answer::Column::Key.in_subquery(keys));
        let samples = read(selected, &self.db, answers).await?;
        require_reviewer(self.db.read(), actor, samples.iter().map(|sample| &sample.row)).await?;
        let mut labels: HashMap<i64, Vec<label::Model>> = HashMap::new();
        let mut all = 0;
        for label in of_change.all(self.db.read()).await? {
            all += 1;
            labels.entry(label.sample_seq).or_default().push(label);
        }
        if all == 0 {
            return Err(Error::not_found("change"));
        }
        require_unclaimed(samples.iter().map(|sample| &sample.row), actor.name())?;
        let changed = changed_since(self.db.read(), change, None).await?;
        if !changed.is_empty() {
            return Err(changed_meanwhile(changed.len(), all));
        }
        let mut undone =
            Change::new(&self.db, actor, Reason { action: audit::Action::SampleUndo, note: None }, &samples);
        undone.require_room(all).await?;
        for chunk in chunks(&samples, WRITE, SelectedSample::size) {
            let (tx, _permit) = self.db.begin_bulk().await?;
            let rows = undone.lock(&tx, chunk).await?;
            let of_chunk: Vec<(&SampleRow, &label::Model)> = rows
                .iter()
                .flat_map(|row| labels.get(&row.seq).into_iter().flatten().map(move |label| (row, label)))
                .collect();
            let keys: BTreeSet<&str> = of_chunk.iter().map(|(_, label)| label.key.as_str()).collect();
            let answers = read_answers(&tx, &rows, keys).await?;
            let changed =
                changed_since(&tx, change, Some(&rows.iter().map(|row| row.seq).collect::<Vec<_>>())).await?;
            if !changed.is_empty() && !undone.has_begun() {
                return Err(changed_meanwhile(changed.len(), all));
            }
            let edits = of_chunk.into_iter().filter_map(|(row, label)| {
                let key = (label.sample_seq, label.key.clone());
                let answer = (!changed.contains(&key)).then(|| answers.get(&key)).flatten()?;
                Some(Edit {
                    sample: row,
                    key: key.1,
                    question: None,
                    answer: Some(answer),
                    value: label.previous.as_deref(),
                })
            });
            undone.write(&tx, &edits.collect::<Vec<_>>()).await?;
            tx.commit().await?;
        }
        undone.finish(&samples).await
    }
}

/// The error for an undo of ground truths that were changed again.
fn changed_meanwhile(changed: usize, all: usize) -> Error {
    let message = format!("{changed} of the {all} ground truths of this change have changed since");
    Error::new(Code::Conflict, message)
}

/// The ground truths of a change, of all samples or of some, that were changed after it.
async fn changed_since(
    on: &impl ConnectionTrait,
    change: &ChangeId,
    samples: Option<&[i64]>,
) -> Result<HashSet<(i64, String)>> {
    use label::Column;
    let later = Alias::new("later");
    let mut newer = Query::select();
    newer.expr(Expr::Constant(1.into())).from_as(label::Entity, later.clone()).cond_where(
        Condition::all()
            .add(Expr::col((later.clone(), Column::SampleSeq)).equals((label::Entity, Column::SampleSeq)))
            .add(Expr::col((later.clone(), Column::Key)).equals((label::Entity, Column::Key)))
            .add(Expr::col((later.clone(), Column::Seq)).gt(Expr::col((label::Entity, Column::Seq)))),
    );
    let mut mine = label::Entity::find().filter(Column::ChangeId.eq(change.as_str()));
    if let Some(samples) = samples {
        mine = mine.filter(Column::SampleSeq.is_in(samples.iter().copied()));
    }
    let mine = mine.filter(Expr::exists(newer)).select_only().columns([Column::SampleSeq, Column::Key]);
    Ok(mine.into_tuple().all(on).await?.into_iter().collect())
}
