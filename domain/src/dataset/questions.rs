//! Validates ground truth against the questions of a sample: its own instructions, else those of its Judge's
//! version.

use std::collections::HashMap;

use sea_orm::ConnectionTrait;
use serde_json::Value;

use super::{VersionKey, instructions, selection::LockedSample};
use crate::{
    Error, Result,
    id::{AccountId, JudgeId},
    inference::{Question, QuestionKind},
    judge,
};

/// Values listed in an error message, at most.
const LISTED_VALUES: usize = 20;

/// The questions of a set of samples.
pub(super) struct SampleQuestions {
    versions: HashMap<VersionKey, Vec<Question>>,
    /// Questions by the JSON of the sample's own instructions.
    own: HashMap<String, Vec<Question>>,
}

/// The question that a ground truth belongs to, as its answer row names it.
#[derive(Clone, Copy)]
pub(super) struct QuestionRef {
    /// `choice`, `score` or `noul`.
    pub(super) kind: &'static str,
    /// Index among the sample's questions, from 0.
    pub(super) position: i32,
}

impl SampleQuestions {
    /// Loads the questions of `rows`, which belong to `account`.
    pub(super) async fn of(
        tx: &impl ConnectionTrait,
        account: &AccountId,
        rows: &[LockedSample],
    ) -> Result<Self> {
        let (mut wanted, mut own) = (Vec::new(), HashMap::new());
        for row in rows {
            match &row.instructions {
                Some(json) if own.contains_key(json) => {}
                Some(json) => {
                    let instructions: Value = serde_json::from_str(json).map_err(Error::internal)?;
                    own.insert(json.clone(), judge::questions(&instructions)?);
                }
                None => wanted.push(version(row)),
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let found = instructions::read(tx, account, &wanted).await?;
        let versions =
            found.into_iter().map(|(version, instructions)| Ok((version, judge::questions(&instructions)?)));
        Ok(Self { versions: versions.collect::<Result<_>>()?, own })
    }

    /// Returns the question of `row` under `key`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` when `row` has no question under `key`, or `value` is not one of its values.
    pub(super) fn check(&self, row: &LockedSample, key: &str, value: Option<&str>) -> Result<QuestionRef> {
        let questions = match &row.instructions {
            Some(own) => self.own.get(own),
            None => self.versions.get(&version(row)),
        };
        let questions = questions.map(Vec::as_slice).unwrap_or_default();
        let Some((position, question)) = (0..).zip(questions).find(|(_, question)| question.key == key)
        else {
            let keys = list_values(questions.iter().map(|question| question.key.clone()).collect());
            return Err(Error::invalid("key", format!("must be one of the keys of {}: {keys}", row.id)));
        };
        let values = question.kind.values();
        if value.is_some_and(|value| !values.iter().any(|one| one == value)) {
            return Err(Error::invalid("value", format!("must be one of: {}", list_values(values))));
        }
        let kind = match question.kind {
            // A prompt is answered with yes or no; a free-text answer has no ground truth.
            QuestionKind::Noul { .. } | QuestionKind::Prompt => "noul",
            QuestionKind::Choice(_) => "choice",
            QuestionKind::Score(_) => "score",
        };
        Ok(QuestionRef { kind, position })
    }
}

fn version(row: &LockedSample) -> VersionKey {
    (JudgeId::from(row.judge_id.clone()), row.judge_version)
}

fn list_values(mut values: Vec<String>) -> String {
    let more = values.len().saturating_sub(LISTED_VALUES);
    values.truncate(LISTED_VALUES);
    let listed = values.join(", ");
    if more == 0 { listed } else { format!("{listed}, and {more} more") }
}
