//! What the ground truth of a sample may be: what its own instructions allow, or else those of its version of the Judge.

use std::collections::HashMap;

use sea_orm::ConnectionTrait;
use serde_json::Value;

use super::{VersionKey, instructions, selection::Locked};
use crate::{
    Error, Result,
    id::{AccountId, JudgeId},
    inference::{Question, QuestionKind},
    judge,
};

/// Values that a refusal names, at most.
const NAMED: usize = 20;

/// The questions of some samples.
pub(super) struct Choices {
    versions: HashMap<VersionKey, Vec<Question>>,
    /// By the instructions' JSON.
    own: HashMap<String, Vec<Question>>,
}

/// A question, as its answer's row names it.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    /// `choice`, `score` or `noul`.
    pub(super) kind: &'static str,
    /// Its place among the sample's questions, from 0.
    pub(super) position: i32,
}

impl Choices {
    /// Of `rows`, which are an account's.
    pub(super) async fn of(tx: &impl ConnectionTrait, account: &AccountId, rows: &[Locked]) -> Result<Self> {
        let (mut wanted, mut own) = (Vec::new(), HashMap::new());
        for row in rows {
            match &row.instructions {
                Some(json) if own.contains_key(json) => {}
                Some(json) => {
                    let asked: Value = serde_json::from_str(json).map_err(Error::internal)?;
                    own.insert(json.clone(), judge::questions(&asked)?);
                }
                None => wanted.push(version(row)),
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let found = instructions::read(tx, account, &wanted).await?;
        let versions = found.into_iter().map(|(version, asked)| Ok((version, judge::questions(&asked)?)));
        Ok(Self { versions: versions.collect::<Result<_>>()?, own })
    }

    /// What `row` was asked under `key`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` when it was not asked that, or `value` is none of the choices.
    pub(super) fn check(&self, row: &Locked, key: &str, value: Option<&str>) -> Result<Asked> {
        let questions = match &row.instructions {
            Some(own) => self.own.get(own),
            None => self.versions.get(&version(row)),
        };
        let questions = questions.map(Vec::as_slice).unwrap_or_default();
        let Some((position, question)) = (0..).zip(questions).find(|(_, question)| question.key == key)
        else {
            let keys = named(questions.iter().map(|question| question.key.clone()).collect());
            return Err(Error::invalid("key", format!("must be one of the keys of {}: {keys}", row.id)));
        };
        let values = question.kind.values();
        if value.is_some_and(|value| !values.iter().any(|one| one == value)) {
            return Err(Error::invalid("value", format!("must be one of: {}", named(values))));
        }
        let kind = match question.kind {
            // A prompt is answered by yes or no, unless in words, and those have no ground truth.
            QuestionKind::Noul { .. } | QuestionKind::Prompt => "noul",
            QuestionKind::Choice(_) => "choice",
            QuestionKind::Score(_) => "score",
        };
        Ok(Asked { kind, position })
    }
}

fn version(row: &Locked) -> VersionKey {
    (JudgeId::from(row.judge_id.clone()), row.judge_version)
}

fn named(mut values: Vec<String>) -> String {
    let more = values.len().saturating_sub(NAMED);
    values.truncate(NAMED);
    let named = values.join(", ");
    if more == 0 { named } else { format!("{named}, and {more} more") }
}
