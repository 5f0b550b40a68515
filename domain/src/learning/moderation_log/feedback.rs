//! Corrections of verdicts by moderators: ground truths of the recorded samples.

use serde_json::Value;

use super::questions::ACTION;
use crate::{
    Code, Error, Result,
    foundation::{actor::Actor, audit, database::Database},
    learning::dataset::{self, Relabeling, Selection},
    operations::moderation::Action,
};
use ports::id::{ChangeId, ModerationId, SampleId};
use ports::text::Category;

/// Characters of a note, at most.
const MAX_NOTE_CHARS: usize = 1_000;

/// What a moderator says of a verdict.
#[derive(Clone, Debug, Default)]
pub struct Feedback {
    /// `mod_…`, as in the answer.
    pub id: String,
    /// The right action.
    pub action: Option<Action>,
    /// Whether the message has these harms.
    pub categories: Vec<(Category, bool)>,
    pub note: Option<String>,
    /// True to replace what was said before.
    pub overwrite: bool,
}

/// Feedback as it was recorded.
#[derive(Clone, Debug)]
pub struct Given {
    /// The sample with its verdict and ground truths.
    pub sample: dataset::Sample,
    /// The id that undoes it; none when it said nothing new.
    pub change: Option<ChangeId>,
}

/// Records feedback on a verdict. The caller has checked that the actor may give it. The same feedback again changes nothing.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field; `NOT_FOUND` when the account has recorded no such verdict; `CONFLICT` when it has other
/// feedback, unless that is to be replaced, or when somebody else is reviewing it.
pub async fn give(db: &Database, actor: &Actor, feedback: Feedback) -> Result<Given> {
    let truths = feedback.truths()?;
    let not_found = || {
        let message = "no verdict is recorded under this id: only those given while the moderation log is on can be corrected";
        Error::new(Code::NotFound, message)
    };
    let id = ModerationId::read(&feedback.id).map(|id| SampleId::of(&id)).ok_or_else(not_found)?;
    let found = dataset::find_many(db, &actor.account, std::slice::from_ref(&id)).await?;
    let sample = found.into_iter().next().ok_or_else(not_found)?;
    let said = |key: &str| {
        let answer = sample.answers.iter().find(|answer| answer.key == key)?;
        answer.truth.as_ref().map(|truth| truth.value.as_str())
    };
    let differs = |(key, value): &&(&str, Option<&str>)| said(key).is_some_and(|said| Some(said) != *value);
    if let Some((key, _)) = truths.iter().find(differs).filter(|_| !feedback.overwrite) {
        let message = format!(
            "this verdict has other feedback already: `{key}` is `{}`; send `overwrite: true` to replace it",
            said(key).unwrap_or_default()
        );
        return Err(Error::new(Code::Conflict, message));
    }
    let relabeling = Relabeling {
        truths: &truths,
        action: audit::Action::ModerationFeedback,
        note: feedback.note.as_deref(),
    };
    let changed = dataset::relabel(db, actor, &Selection::one(id), relabeling).await?;
    let sample = changed.samples.into_iter().next().ok_or_else(not_found)?;
    Ok(Given { sample, change: changed.change })
}

impl Feedback {
    /// Reads categories: an object of names, each true or false.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the category.
    pub fn read_categories(field: &str, categories: &Value) -> Result<Vec<(Category, bool)>> {
        let shape = || Error::invalid(field, "must be an object of categories, each true or false");
        let categories = categories.as_object().ok_or_else(shape)?;
        let known = |name: &str| Category::ALL.into_iter().find(|category| category.as_str() == name);
        categories
            .iter()
            .map(|(name, value)| {
                let category = known(name).ok_or_else(|| {
                    let names = Category::ALL.map(Category::as_str).join(", ");
                    Error::invalid(field, format!("must have keys of: {names}"))
                })?;
                let value = value
                    .as_bool()
                    .ok_or_else(|| Error::invalid(format!("{field}.{name}"), "must be true or false"))?;
                Ok((category, value))
            })
            .collect()
    }

    /// The ground truths by key.
    fn truths(&self) -> Result<Vec<(&'static str, Option<&'static str>)>> {
        if self.note.as_ref().is_some_and(|note| note.chars().count() > MAX_NOTE_CHARS || note.contains('\0'))
        {
            return Err(Error::invalid(
                "note",
                format!("must be at most {MAX_NOTE_CHARS} characters, without NUL"),
            ));
        }
        let action = self.action.map(|action| (ACTION, Some(action.as_str())));
        let categories = self.categories.iter();
        let categories =
            categories.map(|(category, is)| (category.as_str(), Some(if *is { "true" } else { "false" })));
        let truths: Vec<_> = action.into_iter().chain(categories).collect();
        match truths.is_empty() {
            true => Err(Error::invalid("action", "or categories must be given: what is right?")),
            false => Ok(truths),
        }
    }
}
