//! Samples into rows. The caller owns the transaction: for an inference it is the one of its charge.

use std::collections::HashMap;

use chrono::Utc;
use entity::{sample, sample_answer};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ConnectionTrait, DbErr, EntityTrait, QueryTrait,
    sea_query::Query,
};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{
    credits::Amount,
    id::{AccountId, JudgeId, RequestId, SampleId},
    inference::Answer,
};

/// Rows in one statement: databases bound how many values that may have.
pub(super) const ROWS: usize = 1_000;

/// Where a sample came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A request through the Judge.
    Inference,
    /// A file.
    Import,
}

impl Source {
    /// The name in the database and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Inference => "inference",
            Source::Import => "import",
        }
    }
}

/// A sample to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSample {
    /// `sample_…`
    pub id: SampleId,
    /// Whose.
    pub account: AccountId,
    /// In whose dataset.
    pub judge: JudgeId,
    /// The version that was asked.
    pub version: i32,
    /// Where it came from.
    pub source: Source,
    /// The request, for an inference; set when that is charged.
    pub request_id: Option<RequestId>,
    /// What it cost; set when it is charged.
    pub credits: Amount,
    /// What was decided about.
    pub state: Value,
    /// The request's own instructions, when it did not use the Judge's.
    pub instructions: Option<Value>,
    /// Which model answered.
    pub model: Option<String>,
    /// Who answered.
    pub backend: Option<String>,
    /// How long that took, in milliseconds.
    pub latency_ms: Option<f64>,
    /// What was answered, and what is true, by key.
    pub answers: Vec<NewAnswer>,
}

/// One key of a sample to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAnswer {
    /// The instruction's key.
    pub key: String,
    /// `choice`, `score`, `noul` or `text`.
    pub kind: &'static str,
    /// What was answered, as [`sample_answer::Model::value`] has it.
    pub value: Option<String>,
    /// The answer as the wire shows it.
    pub answer: Option<Value>,
    /// How probable `value` is said to be.
    pub probability: Option<f64>,
    /// A probability for each possible value.
    pub probabilities: Option<Map<String, Value>>,
    /// What is true, when somebody has said so.
    pub truth: Option<(String, String)>,
}

impl NewAnswer {
    /// What an answer comes to under `key`.
    pub fn of(key: &str, answer: &Answer) -> Self {
        let (kind, value, probabilities, abstained) = match answer {
            Answer::Noul { noul, abstained } => {
                let both = [("true", *noul), ("false", 1.0 - noul)];
                let both: Map<_, _> =
                    both.map(|(side, p)| (side.to_owned(), Value::from(p))).into_iter().collect();
                ("noul", Some(if *noul >= 0.5 { "true" } else { "false" }.to_owned()), Some(both), *abstained)
            }
            Answer::Choice { choice, probabilities, abstained, .. } => {
                ("choice", Some(choice.clone()), Some(probabilities.clone()), *abstained)
            }
            Answer::Score { probabilities, abstained, .. } => {
                ("score", most_probable(probabilities), Some(probabilities.clone()), *abstained)
            }
            Answer::Text { .. } => ("text", None, None, None),
        };
        let of_value = |value: &String| probabilities.as_ref()?.get(value)?.as_f64();
        Self {
            key: key.to_owned(),
            kind,
            probability: if abstained == Some(true) { None } else { value.as_ref().and_then(of_value) },
            value,
            answer: serde_json::to_value(answer).ok(),
            probabilities,
            truth: None,
        }
    }

    /// The largest of its probabilities.
    fn certainty(&self) -> Option<f64> {
        let values = self.probabilities.as_ref()?.values();
        values.filter_map(Value::as_f64).fold(None, |most, p| Some(most.map_or(p, |most: f64| most.max(p))))
    }
}

/// The first of the most probable.
fn most_probable(probabilities: &Map<String, Value>) -> Option<String> {
    let mut best: Option<(&String, f64)> = None;
    for (value, p) in probabilities {
        let p = p.as_f64()?;
        if best.is_none_or(|(_, most)| p > most) {
            best = Some((value, p));
        }
    }
    best.map(|(value, _)| value.clone())
}

/// Hex SHA-256 of a state, and of instructions that are not the Judge's own, whatever the order of an object's members.
pub fn content_hash(state: &Value, instructions: Option<&Value>) -> String {
    let mut hash = Sha256::new();
    hash.update(canonical(state).to_string());
    if let Some(instructions) = instructions {
        hash.update("\n");
        hash.update(canonical(instructions).to_string());
    }
    format!("{:x}", hash.finalize())
}

fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(key, _)| *key);
            Value::Object(sorted.into_iter().map(|(key, value)| (key.clone(), canonical(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        plain => plain.clone(),
    }
}

/// A sample's row, and those of its answers, whose `sample_seq` is given when they are written.
pub(super) type Rows = (sample::ActiveModel, Vec<sample_answer::ActiveModel>);

/// Writes samples with their answers.
pub(crate) async fn insert(tx: &impl ConnectionTrait, samples: &[&NewSample]) -> Result<(), DbErr> {
    let now = Utc::now();
    for samples in samples.chunks(ROWS) {
        let rows = samples.iter().map(|sample| (row(sample, now), answer_rows(sample, now).collect()));
        write(tx, rows.collect()).await?;
    }
    Ok(())
}

/// Writes rows: at most [`ROWS`] samples, with all their answers.
pub(super) async fn write(tx: &impl ConnectionTrait, rows: Vec<Rows>) -> Result<(), DbErr> {
    let (mut samples, mut answers) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for (sample, of_it) in rows {
        let id = sample.id.try_as_ref().cloned().ok_or(DbErr::RecordNotInserted)?;
        answers.push((id, of_it));
        samples.push(sample);
    }
    let mut insert = sample::Entity::insert_many(samples).into_query();
    insert.returning(Query::returning().columns([sample::Column::Id, sample::Column::Seq]));
    // In whatever order they come back.
    let mut seqs = HashMap::with_capacity(answers.len());
    for row in tx.query_all(&insert).await? {
        seqs.insert(row.try_get::<String>("", "id")?, row.try_get::<i64>("", "seq")?);
    }
    let mut of_all = Vec::new();
    for (id, of_it) in answers {
        let seq = seqs.get(&id).copied().ok_or(DbErr::RecordNotInserted)?;
        of_all
            .extend(of_it.into_iter().map(|row| sample_answer::ActiveModel { sample_seq: Set(seq), ..row }));
    }
    let mut of_all = of_all.into_iter().peekable();
    while of_all.peek().is_some() {
        let some = of_all.by_ref().take(ROWS);
        sample_answer::Entity::insert_many(some).exec_without_returning(tx).await?;
    }
    Ok(())
}

pub(super) fn row(sample: &NewSample, now: chrono::DateTime<Utc>) -> sample::ActiveModel {
    let certainty = sample.answers.iter().filter_map(NewAnswer::certainty);
    let certainty = certainty.fold(None, |least, p| Some(least.map_or(p, |least: f64| least.min(p))));
    let labels = sample.answers.iter().filter(|answer| answer.truth.is_some()).count();
    sample::ActiveModel {
        seq: NotSet,
        id: Set(sample.id.to_string()),
        account_id: Set(sample.account.to_string()),
        judge_id: Set(sample.judge.to_string()),
        judge_version: Set(sample.version),
        source: Set(sample.source.as_str().to_owned()),
        request_id: Set(sample.request_id.clone().map(String::from)),
        content_hash: Set(content_hash(&sample.state, sample.instructions.as_ref())),
        state: Set(sample.state.to_string()),
        instructions: Set(sample.instructions.as_ref().map(Value::to_string)),
        model: Set(sample.model.clone()),
        backend: Set(sample.backend.clone()),
        latency_ms: Set(sample.latency_ms),
        credits: Set(sample.credits.milli()),
        certainty: Set(certainty),
        labels: Set(i32::try_from(labels).unwrap_or(i32::MAX)),
        claimed_by: Set(None),
        claimed_until: Set(None),
        created_at: Set(now),
    }
}

pub(super) fn answer_rows(
    sample: &NewSample,
    now: chrono::DateTime<Utc>,
) -> impl Iterator<Item = sample_answer::ActiveModel> {
    sample.answers.iter().zip(0..).map(move |(answer, position)| {
        let p = |value: &str| answer.probabilities.as_ref()?.get(value)?.as_f64();
        let squares = answer
            .probabilities
            .as_ref()
            .map(|all| all.values().filter_map(Value::as_f64).map(|p| p * p).sum::<f64>());
        let truth = answer.truth.as_ref();
        sample_answer::ActiveModel {
            sample_seq: NotSet,
            key: Set(answer.key.clone()),
            position: Set(position),
            judge_id: Set(sample.judge.to_string()),
            judge_version: Set(sample.version),
            source: Set(sample.source.as_str().to_owned()),
            created_at: Set(now),
            kind: Set(answer.kind.to_owned()),
            value: Set(answer.value.clone()),
            answer: Set(answer.answer.as_ref().map(Value::to_string)),
            probability: Set(answer.probability),
            probabilities: Set(answer
                .probabilities
                .as_ref()
                .map(|all| Value::Object(all.clone()).to_string())),
            squares: Set(squares),
            truth: Set(truth.map(|(truth, _)| truth.clone())),
            truth_probability: Set(truth.and_then(|(truth, _)| p(truth))),
            truth_by: Set(truth.map(|(_, by)| by.clone())),
            truth_at: Set(truth.map(|_| now)),
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_hash_does_not_see_the_order_of_members() {
        let one = content_hash(&json!({ "a": 1, "b": [{ "c": 2, "d": 3 }] }), None);
        assert_eq!(one, content_hash(&json!({ "b": [{ "d": 3, "c": 2 }], "a": 1 }), None));
        assert_ne!(one, content_hash(&json!({ "a": 1, "b": [{ "c": 2, "d": 4 }] }), None));
        assert_ne!(one, content_hash(&json!({ "a": 1, "b": [{ "c": 2, "d": 3 }] }), Some(&json!("why?"))));
    }

    #[test]
    fn an_answer_that_abstains_has_no_probability_of_its_own() {
        let probabilities: Map<String, Value> =
            [("a".to_owned(), json!(0.4)), ("b".to_owned(), json!(0.6))].into_iter().collect();
        let abstains = Answer::Choice {
            choice: "none_of_these".to_owned(),
            confidence: 0.2,
            probabilities,
            abstained: Some(true),
        };
        let new = NewAnswer::of("k", &abstains);
        assert_eq!(
            (new.value.as_deref(), new.probability, new.certainty()),
            (Some("none_of_these"), None, Some(0.6))
        );
    }
}
