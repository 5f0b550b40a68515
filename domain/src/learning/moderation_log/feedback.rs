//! Corrections of verdicts by moderators: ground truths of the recorded samples.

use serde_json::Value;

use super::{ModerationLogs, questions::ACTION};
use crate::{
    Code, Error, Result,
    foundation::{actor::Actor, audit},
    learning::dataset::{Relabeling, Sample, Selection, require_note},
    operations::moderation::{
        Action, RuleCorrection, RuleExample,
        policies::{CorrectedMessage, CorrectedRules},
    },
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
    /// What the message is to the policy's rules in plain language.
    pub rules: Vec<RuleCorrection>,
    /// What other moderators should know of `action` and `categories`.
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
    /// The rules of the policy that were corrected.
    pub rules: Option<CorrectedRules>,
}

impl ModerationLogs {
    /// Records feedback on a verdict, and has the policy's rules learn from it. The caller has checked that the actor
    /// may give it. The same feedback again changes nothing.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field; `NOT_FOUND` when the account has recorded no such verdict; `CONFLICT` when
    /// it has other feedback, unless that is to be replaced, or when somebody else is reviewing it; those of
    /// [`Policies::correct`](crate::operations::moderation::policies::Policies::correct).
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
        let rules = match feedback.rules.as_slice() {
            [] => None,
            _ => Some(self.correct_rules(actor, &sample, &feedback).await?),
        };
        if truths.is_empty() {
            return Ok(RecordedFeedback { sample, change: None, rules });
        }
        let relabeling = Relabeling {
            truths: &truths,
            action: audit::Action::ModerationFeedback,
            note: feedback.note.as_deref(),
        };
        let changed = datasets.relabel(actor, &Selection::one(id), relabeling).await?;
        let sample = changed.samples.into_iter().next().ok_or_else(not_recorded)?;
        Ok(RecordedFeedback { sample, change: changed.change, rules })
    }

    /// Makes the message of a sample an example of rules of its policy.
    async fn correct_rules(
        &self,
        actor: &Actor,
        sample: &Sample,
        feedback: &Feedback,
    ) -> Result<CorrectedRules> {
        let policy = sample.moderation.as_ref().and_then(|record| record.policy.as_ref());
        let Some(policy) = policy else {
            let message = "cannot be corrected: no policy decided on this message, so that it has no rules";
            return Err(Error::invalid("rules", message));
        };
        let Some(content) = sample.state["content"].as_str().filter(|content| !content.trim().is_empty())
        else {
            let message =
                "cannot be corrected: the text of this message is not stored, so that it can be no example";
            return Err(Error::invalid("rules", message));
        };
        let corrections = &feedback.rules;
        let message = CorrectedMessage { content, corrections, overwrite: feedback.overwrite };
        self.policies.correct(actor, &policy.id, message).await
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
            return Err(Error::invalid(field, "must be an object that maps categories to true or false"));
        };
        let mut read = Vec::with_capacity(categories.len());
        for (name, value) in categories.iter().filter(|(_, value)| !value.is_null()) {
            let Some(category) = Category::ALL.into_iter().find(|category| category.as_str() == name) else {
                let names = Category::ALL.map(Category::as_str).join(", ");
                return Err(Error::invalid(field, format!("must have only these keys: {names}")));
            };
            let Some(value) = value.as_bool() else {
                return Err(Error::invalid(format!("{field}.{name}"), "must be true or false"));
            };
            read.push((category, value));
        }
        Ok(read)
    }

    /// Reads corrections of rules: an object of rules' ids, each `allowed`, `not_allowed` or `none`, or null as if it
    /// were absent.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the rule.
    pub fn read_rules(field: &str, rules: &Value) -> Result<Vec<RuleCorrection>> {
        let names = RuleExample::ALL.map(RuleExample::as_str).join(", ");
        let Some(rules) = rules.as_object() else {
            return Err(Error::invalid(
                field,
                format!("must be an object that maps the ids of rules to one of: {names}"),
            ));
        };
        let given = rules.iter().filter(|(_, example)| !example.is_null());
        let read = given.map(|(rule, example)| {
            let known = RuleExample::ALL.into_iter().find(|one| example.as_str() == Some(one.as_str()));
            let Some(example) = known else {
                let rule: String = rule.chars().take(64).filter(|char| !char.is_control()).collect();
                return Err(Error::invalid(format!("{field}.{rule}"), format!("must be one of: {names}")));
            };
            Ok(RuleCorrection { rule: rule.clone(), example })
        });
        read.collect()
    }

    /// The ground truths by key.
    fn truths(&self) -> Result<Vec<(&'static str, Option<&'static str>)>> {
        require_note(self.note.as_deref())?;
        let action = self.action.map(|action| (ACTION, Some(action.as_str())));
        let categories = self.categories.iter();
        let categories =
            categories.map(|(category, is)| (category.as_str(), Some(if *is { "true" } else { "false" })));
        let truths: Vec<_> = action.into_iter().chain(categories).collect();
        match (truths.is_empty(), self.rules.is_empty()) {
            (true, true) => {
                Err(Error::invalid("action", "is required unless `categories` or `rules` is given"))
            }
            (true, false) if self.note.is_some() => {
                Err(Error::invalid("note", "must be left out unless `action` or `categories` is given"))
            }
            _ => Ok(truths),
        }
    }
}
