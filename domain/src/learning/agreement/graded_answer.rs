//! An answer, graded by the ground truth of its key.

use serde_json::{Map, Value};

use crate::{learning::sample::NewAnswer, operations::inference::Answer};
use ports::decision::{Question, QuestionKind};

/// An answer and the ground truth under one key of one sample.
#[derive(Clone, Debug, PartialEq)]
pub struct GradedAnswer {
    pub truth: String,
    /// The answer, in the form of a ground truth; `None` for free text.
    pub value: Option<String>,
    /// The probability of `value`; `None` when the model abstained.
    pub probability: Option<f64>,
    /// The probability of the ground truth.
    pub truth_probability: Option<f64>,
    /// The Brier score, over all values.
    pub brier: Option<f64>,
    /// The probability of each value.
    pub probabilities: Option<Map<String, Value>>,
}

impl GradedAnswer {
    /// Grades an answer by a ground truth.
    pub fn of(key: &str, answer: &Answer, truth: &str) -> Self {
        let row = NewAnswer::of(key, answer);
        let truth_probability = row.probability_of(truth);
        let squares = row
            .probabilities
            .as_ref()
            .map(|all| all.values().filter_map(Value::as_f64).map(|p| p * p).sum::<f64>());
        Self {
            truth: truth.to_owned(),
            probability: row.probability,
            brier: squares.zip(truth_probability).map(|(squares, p)| squares - 2.0 * p + 1.0),
            truth_probability,
            value: row.value,
            probabilities: row.probabilities,
        }
    }

    /// Whether the answer is the ground truth. An abstention is not.
    pub fn agrees(&self) -> bool {
        self.probability.is_some() && self.value.as_deref() == Some(&self.truth)
    }
}

/// Whether a ground truth is one of a question's values, and the question can have one.
pub fn is_value_of(question: &Question, truth: &str) -> bool {
    match &question.kind {
        QuestionKind::Choice(choices) => choices.iter().any(|choice| choice.value == truth),
        QuestionKind::Score(levels) => truth.parse::<usize>().is_ok_and(|level| level < levels.len()),
        QuestionKind::Noul { .. } | QuestionKind::Prompt => matches!(truth, "true" | "false"),
    }
}
