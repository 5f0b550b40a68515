//! Answers in the System One shapes, in which a confidence is distinct from a probability.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{distribution::Distribution, recalibration::Recalibration};
use crate::foundation::round;
use ports::EngineError;
use ports::decision::{Parameters, Question, QuestionKind};

/// The choice of an answer that abstains.
pub const NONE_OF_THESE: &str = "none_of_these";

/// The answers of one request, by key, in the questions' order.
pub type Answers = Vec<(String, Answer)>;

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// The answer to a yes/no question.
    Noul {
        /// The probability of true.
        noul: f64,
        /// True when neither side reached `abstain_below`; set only when the parameter is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        abstained: Option<bool>,
    },
    /// The answer to a choice.
    Choice {
        /// The most probable option, or `none_of_these`.
        choice: String,
        /// Distance of the most probable option from chance: `(p - 1/k) / (1 - 1/k)` for `k` options.
        confidence: f64,
        /// The probability of each option, in the question's order.
        probabilities: Map<String, Value>,
        /// True when no option reached `abstain_below`; set only when the parameter is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        abstained: Option<bool>,
    },
    /// The answer to a score.
    Score {
        /// The expected level.
        score: f64,
        /// Concentration of the levels around the most probable one: `1 - E|level - mode| / (k - 1)` for `k`
        /// levels.
        confidence: f64,
        /// The description of each level.
        legend: Map<String, Value>,
        /// The probability of each level.
        probabilities: Map<String, Value>,
        /// True when no level reached `abstain_below`; set only when the parameter is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        abstained: Option<bool>,
    },
    /// The answer to a freeform prompt, by a backend that generates text.
    Text { text: String },
}

/// What makes the probabilities of a server honest.
#[derive(Clone, Copy)]
pub(super) struct Correction<'a> {
    /// The temperature of the server's calibration; 1 changes nothing.
    pub(super) temperature: f64,
    /// What the Judge's Checkpoint corrects after it.
    pub(super) recalibration: Option<&'a Recalibration>,
}

impl Default for Correction<'_> {
    /// None.
    fn default() -> Self {
        Self { temperature: 1.0, recalibration: None }
    }
}

impl Answer {
    /// Builds an answer from a backend's JSON, which must match the question's schema. The correction is applied before
    /// the temperature of the parameters.
    ///
    /// # Errors
    /// When every outcome has probability 0.
    pub(super) fn read(
        question: &Question,
        said: &Value,
        parameters: &Parameters,
        correction: Correction<'_>,
    ) -> Result<Self, EngineError> {
        if let (QuestionKind::Prompt, Some(text)) = (&question.kind, said["text"].as_str()) {
            return Ok(Answer::Text { text: text.to_owned() });
        }
        let mut distribution = Distribution::read(question, said)?.with_temperature(correction.temperature);
        if let Some(recalibration) = correction.recalibration {
            recalibration.apply(&question.kind.values(), &mut distribution.probabilities);
        }
        Ok(Self::from_distribution(question, distribution, parameters))
    }

    /// Builds an answer from the probabilities of a question's values.
    pub(crate) fn from_probabilities(
        question: &Question,
        probabilities: Vec<f64>,
        parameters: &Parameters,
    ) -> Self {
        Self::from_distribution(question, Distribution::from(probabilities), parameters)
    }

    fn from_distribution(question: &Question, given: Distribution, parameters: &Parameters) -> Self {
        let distribution = given.with_temperature(parameters.temperature);
        let abstained = parameters.abstain_below.map(|below| distribution.largest() < below);
        let p = &distribution.probabilities;
        match &question.kind {
            QuestionKind::Noul { .. } | QuestionKind::Prompt => {
                Answer::Noul { noul: round::probability(p[0]), abstained }
            }
            QuestionKind::Choice(choices) => {
                let top = distribution.argmax(|i| &choices[i].value);
                let chosen = if abstained == Some(true) { NONE_OF_THESE } else { &choices[top].value };
                Answer::Choice {
                    choice: chosen.to_owned(),
                    confidence: round::significant(choice_confidence(p[top], p.len())),
                    probabilities: choices
                        .iter()
                        .map(|choice| choice.value.clone())
                        .zip(numbers(p))
                        .collect(),
                    abstained,
                }
            }
            QuestionKind::Score(levels) => {
                let level = |i: usize| i.to_string();
                let legend = levels.iter().map(|words| Value::String(words.clone()));
                Answer::Score {
                    score: round::significant(p.iter().enumerate().map(|(i, p)| i as f64 * p).sum()),
                    confidence: round::significant(score_confidence(p)),
                    legend: (0..p.len()).map(level).zip(legend).collect(),
                    probabilities: (0..p.len()).map(level).zip(numbers(p)).collect(),
                    abstained,
                }
            }
        }
    }

    /// Builds the answer to a choice from the probability of each option.
    pub fn choice(choice: &str, options: &[(&str, f64)]) -> Self {
        let p = options.iter().find(|(value, _)| *value == choice).map_or(0.0, |(_, p)| *p);
        let probabilities =
            options.iter().map(|(value, p)| ((*value).to_owned(), Value::from(round::probability(*p))));
        Answer::Choice {
            choice: choice.to_owned(),
            confidence: round::significant(choice_confidence(p, options.len())),
            probabilities: probabilities.collect(),
            abstained: None,
        }
    }

    /// The probability of the most probable outcome; `None` for free text.
    pub fn certainty(&self) -> Option<f64> {
        match self {
            Answer::Noul { noul, .. } => Some(noul.max(1.0 - noul)),
            Answer::Choice { probabilities, .. } | Answer::Score { probabilities, .. } => {
                Some(probabilities.values().filter_map(Value::as_f64).fold(0.0, f64::max))
            }
            Answer::Text { .. } => None,
        }
    }
}

fn numbers(probabilities: &[f64]) -> impl Iterator<Item = Value> {
    probabilities.iter().map(|p| Value::from(round::probability(*p)))
}

/// How far the probability of the best of `options` options is above chance: 0 at chance, 1 when certain.
fn choice_confidence(p: f64, options: usize) -> f64 {
    let chance = 1.0 / options as f64;
    if options < 2 { 1.0 } else { ((p - chance) / (1.0 - chance)).clamp(0.0, 1.0) }
}

/// How much closer the levels are to the most probable one than if all were equally probable: 1 when certain, and 0
/// when they are as far from it as equally probable levels are from the middle.
fn score_confidence(probabilities: &[f64]) -> f64 {
    if probabilities.len() < 2 {
        return 1.0;
    }
    let mode = (0..probabilities.len())
        .fold(0, |best, i| if probabilities[i] > probabilities[best] { i } else { best });
    let distance: f64 = probabilities.iter().enumerate().map(|(i, p)| i.abs_diff(mode) as f64 * p).sum();
    (1.0 - distance / distance_from_middle(probabilities.len())).clamp(0.0, 1.0)
}

/// The mean distance of `levels` levels from the middle of their scale.
fn distance_from_middle(levels: usize) -> f64 {
    let middle = (levels - 1) as f64 / 2.0;
    (0..levels).map(|level| (level as f64 - middle).abs()).sum::<f64>() / levels as f64
}
