//! Corrections of verdicts by moderators: ground truths of the recorded samples.

use serde_json::Value;

use super::{ModerationLogs, questions::ACTION};
use crate::{
    Code, Error, Result,
    foundation::{actor::Actor, audit},
    learning::dataset::{Relabeling, Sample, Selection, require_note},
    operations::moderation::Action,
};
use ports::id::{ChangeId, ModerationId, SampleId};
use ports::text::Category;

/// A moderator's correction of a verdict.
#[derive(Clone, Debug, Default)]
pub struct Feedback {
    /// `mod_…`, as in the answer.
    pub id: String,
    /// The right action.
    pub action: Option<Action>,
    /// Whether the message has these harms.
    pub categories: Vec<(Category, bool)>,
    pub note: Option<String>,
    /// True to replace earlier feedback.
    pub overwrite: bool,
}

/// Recorded feedback.
#[derive(Clone, Debug)]
pub struct RecordedFeedback {
    /// The sample with its verdict and ground truths.
    pub sample: Sample,
    /// The id that undoes it; `None` when it changed nothing.
    pub change: Option<ChangeId>,
}

impl ModerationLogs {
    /// Records feedback on a verdict. The caller has checked that the actor may give it. The same feedback again
    /// changes nothing.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field; `NOT_FOUND` when the account has recorded no such verdict; `CONFLICT` when
    /// it has other feedback, unless that is to be replaced, or when somebody else is reviewing it.
    pub async fn give_feedback(&self, actor: &Actor, feedback: Feedback) -> Result<RecordedFeedback> {
        let datasets = self.datasets();
        let truths = feedback.truths()?;
        let id = ModerationId::read(&feedback.id).ok_or_else(not_recorded)?;
        let id = SampleId::of(&id);
        let found = datasets.find_many(&actor.account, std::slice::from_ref(&id)).await?;
        let sample = found.into_iter().next().ok_or_else(not_recorded)?;
        if !feedback.overwrite {
            require_agreement(&sample, &truths)?;
        }
        let relabeling = Relabeling {
            truths: &truths,
            action: audit::Action::ModerationFeedback,
            note: feedback.note.as_deref(),
        };
        let changed = datasets.relabel(actor, &Selection::one(id), relabeling).await?;
        let sample = changed.samples.into_iter().next().ok_or_else(not_recorded)?;
        Ok(RecordedFeedback { sample, change: changed.change })
    }
}

/// # Errors
/// `CONFLICT` when a sample has another ground truth than one of `truths`.
fn require_agreement(sample: &Sample, truths: &[(&str, Option<&str>)]) -> Result<()> {
    for (key, value) in truths {
        let answer = sample.answers.iter().find(|answer| answer.key == *key);
        let Some(truth) = answer.and_then(|answer| answer.truth.as_ref()) else { continue };
        if Some(truth.value.as_str()) != *value {
            let message = format!(
                "this verdict has other feedback already: `{key}` is `{}`; send `overwrite: true` to replace it",
                truth.value
            );
            return Err(Error::new(Code::Conflict, message));
        }
    }
    Ok(())
}

fn not_recorded() -> Error {
    let message = "no verdict is recorded under this id: only those given while the moderation log is on can be \
                   corrected";
    Error::new(Code::NotFound, message)
}

impl Feedback {
    /// Reads categories: an object of names, each true or false, or null as if it were absent.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the category.
    pub fn read_categories(field: &str, categories: &Value) -> Result<Vec<(Category, bool)>> {
        let Some(categories) = categories.as_object() else {
            return Err(Error::invalid(field, "must be an object of categories, each true or false"));
        };
        let mut read = Vec::with_capacity(categories.len());
        for (name, value) in categories.iter().filter(|(_, value)| !value.is_null()) {
            let Some(category) = Category::ALL.into_iter().find(|category| category.as_str() == name) else {
                let names = Category::ALL.map(Category::as_str).join(", ");
                return Err(Error::invalid(field, format!("must have keys of: {names}")));
            };
            let Some(value) = value.as_bool() else {
                return Err(Error::invalid(format!("{field}.{name}"), "must be true or false"));
            };
            read.push((category, value));
        }
        Ok(read)
    }

    /// The ground truths by key.
    fn truths(&self) -> Result<Vec<(&'static str, Option<&'static str>)>> {
        require_note(self.note.as_deref())?;
        let action = self.action.map(|action| (ACTION, Some(action.as_str())));
        let categories = self.categories.iter();
        let categories =
            categories.map(|(category, is)| (category.as_str(), Some(if *is { "true" } else { "false" })));
        let truths: Vec<_> = action.into_iter().chain(categories).collect();
        match truths.is_empty() {
            true => Err(Error::invalid("action", "or `categories` is required")),
            false => Ok(truths),
        }
    }
}
