//! The probability distribution over the outcomes of one question: read from validated JSON and normalized to sum
//! to 1.

use serde_json::Value;

use ports::EngineError;
use ports::decision::{Question, QuestionKind};

/// The probability of each outcome, in the question's order; they sum to 1. For a noul or a prompt: true, then
/// false.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Distribution {
    pub(super) probabilities: Vec<f64>,
    /// The outcome that the backend named; it breaks ties.
    named: Option<usize>,
}

impl From<Vec<f64>> for Distribution {
    /// Probabilities that sum to 1.
    fn from(probabilities: Vec<f64>) -> Self {
        Self { probabilities, named: None }
    }
}

impl Distribution {
    /// Parses an answer that matches the question's schema.
    ///
    /// # Errors
    /// When every outcome has probability 0.
    pub(super) fn read(question: &Question, answer: &Value) -> Result<Self, EngineError> {
        let (raw, named): (Vec<f64>, _) = match &question.kind {
            QuestionKind::Choice(choices) => {
                let named = answer["choice"].as_str();
                (
                    choices.iter().map(|choice| probability(answer, &choice.value)).collect(),
                    choices.iter().position(|choice| Some(choice.value.as_str()) == named),
                )
            }
            QuestionKind::Score(levels) => {
                ((0..levels.len()).map(|level| probability(answer, &level.to_string())).collect(), None)
            }
            QuestionKind::Noul { .. } | QuestionKind::Prompt => {
                let yes = answer["noul"].as_f64().unwrap_or(0.5);
                (vec![yes, 1.0 - yes], None)
            }
        };
        let sum = sum(&raw);
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(EngineError(format!("no outcome of {:?} has a probability", question.key)));
        }
        Ok(Self { probabilities: raw.iter().map(|p| p / sum).collect(), named })
    }

    /// Applies a temperature: `p^(1/temperature)`, normalized again.
    pub(super) fn with_temperature(mut self, temperature: f64) -> Self {
        if temperature != 1.0 {
            apply_temperature(&mut self.probabilities, temperature);
        }
        self
    }

    /// Argmax: the index of the most probable outcome. Ties go to the outcome that the backend named, then to the
    /// first by `name`.
    pub(super) fn argmax<'a>(&self, name: impl Fn(usize) -> &'a str) -> usize {
        let most = self.largest();
        let equals: Vec<usize> =
            (0..self.probabilities.len()).filter(|i| self.probabilities[*i] >= most).collect();
        match self.named {
            Some(named) if equals.contains(&named) => named,
            _ => equals.into_iter().min_by_key(|i| name(*i)).unwrap_or(0),
        }
    }

    /// The probability of the most probable outcome.
    pub(super) fn largest(&self) -> f64 {
        self.probabilities.iter().copied().fold(0.0, f64::max)
    }
}

/// Raises probabilities to `1/temperature`, and normalizes them again.
pub(super) fn apply_temperature(probabilities: &mut [f64], temperature: f64) {
    // In logarithms relative to the largest, so that a small temperature does not round everything to 0.
    let largest = probabilities.iter().copied().fold(f64::MIN_POSITIVE, f64::max).ln();
    for p in &mut *probabilities {
        *p = ((p.max(f64::MIN_POSITIVE).ln() - largest) / temperature).exp();
    }
    let sum = sum(probabilities);
    probabilities.iter_mut().for_each(|p| *p /= sum);
}

/// The probability that an answer gives to the outcome of this name; 0 for one that it leaves out.
fn probability(answer: &Value, name: &str) -> f64 {
    answer["probabilities"][name].as_f64().unwrap_or(0.0)
}

/// Sums numbers so that the result does not depend on their order, to the last bit.
fn sum(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.iter().sum()
}
