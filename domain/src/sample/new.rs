//! A sample before it is written: what was decided about, what was answered, and what is true.

use serde_json::{Map, Value};

use crate::{
    id::{AccountId, JudgeId, SampleId},
    inference::Answer,
};

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

/// A sample to be written. For an inference, the request and its price are those of the charge that it is written with.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSample {
    /// `sample_…`
    pub id: SampleId,
    /// The account that has the Judge.
    pub account: AccountId,
    /// The Judge in whose dataset it is.
    pub judge: JudgeId,
    /// The version that was asked.
    pub version: i32,
    /// Where it came from.
    pub source: Source,
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
    /// What was answered, as the column `sample_answer.value` has it.
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
    pub(super) fn certainty(&self) -> Option<f64> {
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
