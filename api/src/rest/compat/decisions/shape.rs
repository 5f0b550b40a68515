//! The JSON shapes of OpenAI's decisions, as the client openai 3.54.0 writes and reads them.

use domain::operations::inference::{Answer, Inferred};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::question::DecisionQuestion;
use crate::openapi::shapes;

/// Questions about an input.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecisionsRequest {
    /// The content to decide about: text, or messages, tool calls and their outputs in order. Pictures are refused.
    #[schema(schema_with = shapes::decisions_input)]
    pub input: Value,
    /// The model.
    #[schema(example = "gavel-latest")]
    pub model: String,
    /// 1 to 400 questions.
    #[schema(schema_with = shapes::decisions_questions)]
    pub questions: Vec<Value>,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten)]
    #[schema(ignore)]
    #[allow(dead_code)]
    only_objects: (),
}

/// A string or a boolean; those with the same text are distinct.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code)]
pub enum DecisionsValue {
    /// A string.
    Text(String),
    /// A boolean.
    Flag(bool),
}

/// The answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct DecisionsResponse {
    /// The answers in the order of the questions.
    pub answers: Vec<DecisionsAnswer>,
    /// The model that answered, with its version.
    pub model: String,
    /// Tokens.
    pub usage: DecisionsUsage,
}

/// An answer, of the type of its question; `name` is null for one without.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DecisionsAnswer {
    /// The probability that the statement is true.
    Predicate { name: Option<String>, probability: f64 },
    /// The most probable choice.
    Choice {
        name: Option<String>,
        #[schema(value_type = DecisionsValue)]
        choice: Value,
        confidence: f64,
        probabilities: Vec<DecisionsChoiceProbability>,
    },
    /// The expected level.
    Score { name: Option<String>, score: f64, confidence: f64, probabilities: Vec<DecisionsLevelProbability> },
    /// No answer. Part of OpenAI's format, but never returned.
    Refusal { name: Option<String> },
}

/// The probability of a choice.
#[derive(Debug, Serialize, ToSchema)]
pub struct DecisionsChoiceProbability {
    /// The choice.
    #[schema(value_type = DecisionsValue)]
    pub value: Value,
    /// 0 to 1.
    pub probability: f64,
}

/// The probability of a level.
#[derive(Debug, Serialize, ToSchema)]
pub struct DecisionsLevelProbability {
    /// The level's number, the lowest being 0.
    pub value: usize,
    /// The level's name.
    pub label: String,
    /// 0 to 1.
    pub probability: f64,
}

/// Tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct DecisionsUsage {
    pub input_tokens: u64,
    pub input_tokens_details: DecisionsInputTokens,
    pub output_tokens: u64,
    pub output_tokens_details: DecisionsOutputTokens,
    pub total_tokens: u64,
}

/// Details of the tokens read. Nothing is cached between requests.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct DecisionsInputTokens {
    pub cache_write_tokens: u64,
    pub cached_tokens: u64,
}

/// Details of the tokens written.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct DecisionsOutputTokens {
    pub reasoning_tokens: u64,
}

impl DecisionsResponse {
    pub(super) fn new(inferred: Inferred, questions: Vec<DecisionQuestion>) -> Self {
        let usage = inferred.usage;
        let answers = questions.into_iter().zip(inferred.answers);
        Self {
            answers: answers.map(|(question, (_, answer))| DecisionsAnswer::new(question, answer)).collect(),
            model: inferred.model,
            usage: DecisionsUsage {
                input_tokens: usage.input_tokens,
                input_tokens_details: DecisionsInputTokens::default(),
                output_tokens: usage.output_tokens,
                output_tokens_details: DecisionsOutputTokens::default(),
                total_tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            },
        }
    }
}

impl DecisionsAnswer {
    fn new(DecisionQuestion { question, name, outcomes }: DecisionQuestion, answer: Answer) -> Self {
        match answer {
            Answer::Noul { noul, .. } => Self::Predicate { name, probability: noul },
            Answer::Choice { choice, confidence, probabilities, .. } => {
                let index = probabilities.keys().position(|option| *option == choice);
                Self::Choice {
                    name,
                    choice: index.and_then(|index| outcomes.get(index)).cloned().unwrap_or(choice.into()),
                    confidence,
                    probabilities: probability_values(&probabilities)
                        .zip(outcomes)
                        .map(|(probability, value)| DecisionsChoiceProbability { value, probability })
                        .collect(),
                }
            }
            Answer::Score { score, confidence, probabilities, .. } => Self::Score {
                name,
                score,
                confidence,
                probabilities: probability_values(&probabilities)
                    .zip(outcomes)
                    .enumerate()
                    .map(|(value, (probability, label))| DecisionsLevelProbability {
                        value,
                        label: label.as_str().unwrap_or_default().to_owned(),
                        probability,
                    })
                    .collect(),
            },
            // Only prompts are answered in text, and there are none here.
            Answer::Text { .. } => {
                tracing::error!(kind = question.kind.as_str(), "a typed question was answered in words");
                Self::Refusal { name }
            }
        }
    }
}

fn probability_values(probabilities: &Map<String, Value>) -> impl Iterator<Item = f64> {
    probabilities.values().map(|p| p.as_f64().unwrap_or_default())
}
