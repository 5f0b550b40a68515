//! Validates ground truth against the questions of samples: their own instructions, else those of their dataset's
//! version.

use std::collections::HashMap;

use entity::sample;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde_json::Value;

use super::{
    Datasets, VersionKey,
    chunk::{WRITE, chunks},
    selection::SelectedSample,
};
use crate::{Error, Result, learning::owner};
use ports::decision::{Question, QuestionKind};
use ports::id::{AccountId, DatasetId};

/// Maximum values listed in an error message.
const LISTED_VALUES: usize = 20;
/// Versions of Judges read at once, each of which may have 256 KiB.
const VERSIONS_AT_ONCE: usize = 16;

/// The question that a ground truth belongs to, as its answer row names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuestionRef {
    /// `choice`, `score` or `noul`.
    pub(super) kind: &'static str,
    /// Index among the sample's questions, from 0.
    pub(super) position: i32,
}

/// A ground truth to be given to samples.
#[derive(Clone, Copy)]
pub(super) struct GroundTruth<'a> {
    pub(super) key: &'a str,
    /// `None` clears it.
    pub(super) value: Option<&'a str>,
}

impl GroundTruth<'_> {
    /// Returns the questions that samples of `account` were asked under the key, by `seq`. Reads a few instructions at
    /// a time: together they may be gigabytes.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` when one of the samples has no question under the key, or the value is not one of its
    /// values.
    pub(super) async fn check(
        self,
        datasets: &Datasets,
        account: &AccountId,
        samples: &[SelectedSample],
    ) -> Result<HashMap<i64, QuestionRef>> {
        let (own, of_version): (Vec<&SelectedSample>, Vec<_>) = samples.iter().partition(|sample| sample.own);
        let mut questions = HashMap::with_capacity(samples.len());
        let mut by_version: HashMap<VersionKey, Vec<&SelectedSample>> = HashMap::new();
        for sample in of_version {
            let version = (DatasetId::from(sample.row.judge_id.clone()), sample.row.judge_version);
            by_version.entry(version).or_default().push(sample);
        }
        let versions: Vec<VersionKey> = by_version.keys().cloned().collect();
        for versions in versions.chunks(VERSIONS_AT_ONCE) {
            let found = datasets.list_instructions(account, versions).await?;
            for version in versions {
                let asked = found.get(version).map(owner::questions).transpose()?.unwrap_or_default();
                for sample in &by_version[version] {
                    questions.insert(sample.row.seq, self.question(&asked, &sample.row.id)?);
                }
            }
        }
        for samples in chunks(&own, WRITE, |sample| sample.size()) {
            let ids: HashMap<i64, &str> =
                samples.iter().map(|sample| (sample.row.seq, sample.row.id.as_str())).collect();
            let rows = sample::Entity::find()
                .select_only()
                .columns([sample::Column::Seq, sample::Column::Instructions])
                .filter(sample::Column::AccountId.eq(account.as_str()))
                .filter(sample::Column::Seq.is_in(ids.keys().copied()));
            for (seq, json) in rows.into_tuple::<(i64, Option<String>)>().all(datasets.db.read()).await? {
                let json: Value = serde_json::from_str(&json.unwrap_or_default()).map_err(Error::internal)?;
                let id = ids.get(&seq).copied().unwrap_or_default();
                questions.insert(seq, self.question(&owner::questions(&json)?, id)?);
            }
        }
        Ok(questions)
    }

    fn question(self, asked: &[Question], sample: &str) -> Result<QuestionRef> {
        let Some((position, question)) = (0..).zip(asked).find(|(_, question)| question.key == self.key)
        else {
            let keys = list_values(asked.iter().map(|question| question.key.clone()).collect());
            return Err(Error::invalid("key", format!("must be one of the keys of {sample}: {keys}")));
        };
        let values = question.kind.values();
        if self.value.is_some_and(|value| !values.iter().any(|one| one == value)) {
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

fn list_values(mut values: Vec<String>) -> String {
    let more = values.len().saturating_sub(LISTED_VALUES);
    values.truncate(LISTED_VALUES);
    let listed = values.join(", ");
    if more == 0 { listed } else { format!("{listed}, and {more} more") }
}
