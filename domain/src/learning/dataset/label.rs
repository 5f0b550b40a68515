//! Ground truths of samples, set and cleared: for all selected samples, or for none when one of them cannot have it.
//! Every change is recorded with the previous value in the same transaction.

use entity::sample_answer;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};

use super::{
    Datasets, Selection,
    change::{Change, Changed, Reason},
    chunk::{WRITE, chunks},
    edit::{Edit, read_answers},
    questions::GroundTruth,
    review::require_reviewer,
    selection::{SelectedSample, require_unclaimed},
};
use crate::{
    Error, Result,
    foundation::{actor::Actor, audit, database::Database},
};

/// Maximum characters of a note.
const MAX_NOTE_CHARS: usize = 1_000;

/// A change of several ground truths of the same samples.
pub(crate) struct Relabeling<'a> {
    /// Keys and their ground truths; `None` clears one.
    pub(crate) truths: &'a [(&'a str, Option<&'a str>)],
    /// The name in the audit log.
    pub(crate) action: audit::Action,
    /// The actor's note.
    pub(crate) note: Option<&'a str>,
}

impl Datasets {
    /// Sets or clears the ground truth under one key of the selected samples. When the database fails midway, the
    /// samples changed until then stay changed; repeating the change changes the rest.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst, and for a moderator unless all are of the moderation log; `NOT_FOUND` when one of the
    /// samples does not exist; `VALIDATION_FAILED` when one of them has no question under the key, or the value is not
    /// one of its choices; `CONFLICT` when another actor is reviewing one of them, or the account's quota has no room for
    /// the history. Nothing is changed then.
    pub async fn reclassify(
        &self,
        actor: &Actor,
        selection: &Selection,
        key: &str,
        value: Option<&str>,
        note: Option<&str>,
    ) -> Result<Changed> {
        actor.require_moderator()?;
        let action = if value.is_some() {
            audit::Action::SampleReclassify
        } else {
            audit::Action::SampleClearGroundTruth
        };
        self.relabel(actor, selection, Relabeling { truths: &[(key, value)], action, note }).await
    }

    /// Sets or clears ground truths under several keys, as one change. The caller has checked what the actor may do.
    ///
    /// # Errors
    /// Those of [`Datasets::reclassify`], except `FORBIDDEN`.
    pub(crate) async fn relabel(
        &self,
        actor: &Actor,
        selection: &Selection,
        Relabeling { truths, action, note }: Relabeling<'_>,
    ) -> Result<Changed> {
        require_note(note)?;
        let keys: Vec<&str> = truths.iter().map(|(key, _)| *key).collect();
        // PostgreSQL has no NUL. No question has such a key, which is refused below.
        let known = keys.iter().copied().filter(|key| !key.contains('\0'));
        let of_keys = Condition::all().add(sample_answer::Column::Key.is_in(known));
        let samples = selection.read(&self.db, &actor.account, of_keys).await?;
        require_reviewer(self.db.read(), actor, samples.iter().map(|sample| &sample.row)).await?;
        require_unclaimed(samples.iter().map(|sample| &sample.row), actor.name())?;
        let mut questions = Vec::with_capacity(truths.len());
        for &(key, value) in truths {
            questions.push(GroundTruth { key, value }.check(self, &actor.account, &samples).await?);
            require_no_words(&self.db, key, &samples).await?;
        }
        let mut change = Change::new(&self.db, actor, Reason { action, note }, &samples);
        change.require_room(samples.len() * truths.len()).await?;
        for chunk in chunks(&samples, WRITE, SelectedSample::size) {
            let (tx, _permit) = self.db.begin_bulk().await?;
            let rows = change.lock(&tx, chunk).await?;
            let answers = read_answers(&tx, &rows, keys.iter().copied()).await?;
            let edits = rows.iter().flat_map(|row| {
                let answers = &answers;
                truths.iter().zip(&questions).map(move |(&(key, value), questions)| {
                    let question = questions.get(&row.seq).copied();
                    let answer = answers.get(&(row.seq, key.to_owned()));
                    Edit { sample: row, key: key.to_owned(), question, answer, value }
                })
            });
            change.write(&tx, &edits.filter(Edit::changes).collect::<Vec<_>>()).await?;
            tx.commit().await?;
        }
        change.finish(&samples).await
    }
}

/// # Errors
/// `VALIDATION_FAILED` for a note that is too long, or has a NUL.
pub(crate) fn require_note(note: Option<&str>) -> Result<()> {
    match note {
        Some(note) if note.chars().count() > MAX_NOTE_CHARS || note.contains('\0') => {
            let message = format!("must be at most {MAX_NOTE_CHARS} characters, without NUL");
            Err(Error::invalid("note", message))
        }
        _ => Ok(()),
    }
}

/// # Errors
/// `VALIDATION_FAILED` when one of the samples was answered in words.
async fn require_no_words(db: &Database, key: &str, samples: &[SelectedSample]) -> Result<()> {
    let in_words = sample_answer::Entity::find()
        .select_only()
        .column(sample_answer::Column::SampleSeq)
        .filter(sample_answer::Column::SampleSeq.is_in(samples.iter().map(|sample| sample.row.seq)))
        .filter(sample_answer::Column::Key.eq(key))
        .filter(sample_answer::Column::Kind.eq("text"))
        .limit(1);
    match in_words.into_tuple::<i64>().one(db.read()).await? {
        Some(_) => Err(Error::invalid("key", "was answered in words, which have no ground truth")),
        None => Ok(()),
    }
}
