//! A sample before it is written: state, answers and ground truth.

use serde_json::{Map, Value};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use super::ModerationRecord;
use crate::{money::amount::Amount, operations::inference::Answer};
use ports::id::{AccountId, CheckpointId, DatasetId, SampleId};

/// Where a sample comes from. Its text is the name in the database and on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Source {
    /// A request through the Judge.
    Inference,
    /// A file.
    Import,
}

/// A sample to write. For an inference, the request id and price are those of the charge it is written with.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSample {
    /// `sample_…`
    pub id: SampleId,
    pub account: AccountId,
    pub dataset: DatasetId,
    /// The version of the questions.
    pub version: i32,
    pub source: Source,
    /// The input of the decision.
    pub state: Value,
    /// The request's own instructions; `None` when they were the Judge's.
    pub instructions: Option<Value>,
    pub model: Option<String>,
    pub backend: Option<String>,
    /// Milliseconds.
    pub latency_ms: Option<f64>,
    /// Its part of the charge it is written with; `None` when the charge is for it alone.
    pub credits: Option<Amount>,
    /// The Checkpoint that answered.
    pub checkpoint: Option<CheckpointId>,
    pub answers: Vec<NewAnswer>,
    /// The verdict on a message of a moderation log.
    pub moderation: Option<ModerationRecord>,
}

/// The answer and ground truth under one key.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAnswer {
    pub key: String,
    /// `choice`, `score`, `noul` or `text`.
    pub kind: &'static str,
    /// The answer in the form of the column `sample_answer.value`.
    pub value: Option<String>,
    /// The answer in wire form.
    pub answer: Option<Value>,
    /// The probability of `value`.
    pub probability: Option<f64>,
    /// The probability of each possible value.
    pub probabilities: Option<Map<String, Value>>,
    /// The server that answered and its model, such as `ollama/qwen3:8b`.
    pub server_model: Option<String>,
    /// The ground truth and the actor who set it, if any.
    pub truth: Option<(String, String)>,
}

impl NewAnswer {
    /// Builds the row of an answer under `key`.
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
        let probability = match (&probabilities, &value) {
            (Some(probabilities), Some(value)) if abstained != Some(true) => {
                probabilities.get(value).and_then(Value::as_f64)
            }
            _ => None,
        };
        Self {
            key: key.to_owned(),
            kind,
            probability,
            value,
            answer: serde_json::to_value(answer).ok(),
            probabilities,
            server_model: None,
            truth: None,
        }
    }

    /// The probability of a value.
    pub(crate) fn probability_of(&self, value: &str) -> Option<f64> {
        self.probabilities.as_ref()?.get(value)?.as_f64()
    }

    /// The largest of the probabilities.
    pub(super) fn certainty(&self) -> Option<f64> {
        let values = self.probabilities.as_ref()?.values();
        values.filter_map(Value::as_f64).fold(None, |most, p| Some(most.map_or(p, |most: f64| most.max(p))))
    }
}

/// The most probable value; the first of equals.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
