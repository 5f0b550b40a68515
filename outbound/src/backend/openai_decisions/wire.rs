//! The format of OpenAI's decisions: a list of questions about an input, and a list of answers in the same order.

use ports::decision::{Decision, DecisionFault, DecisionInput, DecisionMode, Question, QuestionKind, Usage};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::backend::wire::{HYBRID_IGNORED, Tokens, model_name};

/// What a choice or a score asks whose criteria say everything: the format has no question without instructions.
const WITHOUT_INSTRUCTIONS: &str = "Which one fits the input best?";

/// The response of a server.
#[derive(Debug, Deserialize)]
pub(super) struct DecisionsReply {
    /// The exact name of the model that answered.
    #[serde(deserialize_with = "model_name")]
    model: String,
    /// In the order of the questions.
    answers: Vec<ReplyAnswer>,
    usage: Option<Tokens>,
}

/// The answer to one question.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ReplyAnswer {
    Predicate { probability: f64 },
    Choice { choice: Value, probabilities: Vec<ValueProbability> },
    Score { probabilities: Vec<LevelProbability> },
    Refusal,
}

#[derive(Debug, Deserialize)]
struct ValueProbability {
    /// A string or a boolean; we send strings alone.
    value: Value,
    probability: f64,
}

#[derive(Debug, Deserialize)]
struct LevelProbability {
    /// The number of the level, the lowest being 0.
    value: u32,
    probability: f64,
}

/// Writes the body of a request. The format has no parameters: temperature and abstention are applied here.
pub(super) fn request(input: &DecisionInput, model: &str) -> Vec<u8> {
    let state = match &input.state {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let questions: Vec<Value> = input.questions.iter().map(question).collect();
    let body = json!({ "model": model, "input": state, "questions": questions });
    serde_json::to_vec(&body).expect("JSON can be serialised")
}

fn question(question: &Question) -> Value {
    let mut instructions = question.text();
    if instructions.trim().is_empty() {
        WITHOUT_INSTRUCTIONS.clone_into(&mut instructions);
    }
    match &question.kind {
        QuestionKind::Prompt => json!({ "type": "predicate", "instructions": instructions }),
        QuestionKind::Noul { yes, no } => {
            for (side, meaning) in [("True", yes), ("False", no)] {
                if let Some(meaning) = meaning {
                    instructions.push_str(&format!("\n{side} means: {meaning}"));
                }
            }
            json!({ "type": "predicate", "instructions": instructions })
        }
        QuestionKind::Choice(choices) => {
            let choices: Vec<Value> = choices
                .iter()
                .map(|choice| match &choice.description {
                    Some(description) => json!({ "value": choice.value, "description": description }),
                    None => json!({ "value": choice.value }),
                })
                .collect();
            json!({ "type": "choice", "instructions": instructions, "choices": choices })
        }
        QuestionKind::Score(levels) => {
            let levels: Vec<Value> = levels.iter().map(|words| json!({ "label": words })).collect();
            json!({ "type": "score", "instructions": instructions, "levels": levels })
        }
    }
}

impl DecisionsReply {
    /// Converts the response to a decision, whose answers are in System One's shapes.
    ///
    /// # Errors
    /// The answers are not those to our questions, or one of them is a refusal.
    pub(super) fn into_decision(self, input: &DecisionInput) -> Result<Decision, DecisionFault> {
        if self.answers.len() != input.questions.len() {
            return Err(unusable("answered another number of questions than it was asked"));
        }
        let mut answers = Map::new();
        for (question, answer) in input.questions.iter().zip(self.answers) {
            answers.insert(question.key.clone(), answer.into_answer(&question.kind)?);
        }
        let joint = input.mode == DecisionMode::Joint;
        Ok(Decision {
            model: self.model,
            answers,
            usage: self.usage.map(Usage::from).unwrap_or_default(),
            notes: joint.then(|| HYBRID_IGNORED.to_owned()).into_iter().collect(),
        })
    }
}

impl ReplyAnswer {
    fn into_answer(self, kind: &QuestionKind) -> Result<Value, DecisionFault> {
        match (kind, self) {
            (_, Self::Refusal) => Err(unusable("refused to answer")),
            (QuestionKind::Noul { .. } | QuestionKind::Prompt, Self::Predicate { probability }) => {
                Ok(json!({ "type": "noul", "noul": probability }))
            }
            (QuestionKind::Choice(_), Self::Choice { choice, probabilities }) => {
                let mut by_value = Map::new();
                for ValueProbability { value, probability } in probabilities {
                    let Value::String(value) = value else {
                        return Err(unusable("answered with an option that was not offered"));
                    };
                    by_value.insert(value, json!(probability));
                }
                Ok(json!({ "type": "choice", "choice": choice, "probabilities": by_value }))
            }
            (QuestionKind::Score(_), Self::Score { probabilities }) => {
                let by_level =
                    probabilities.iter().map(|level| (level.value.to_string(), json!(level.probability)));
                Ok(json!({ "type": "score", "probabilities": by_level.collect::<Map<_, _>>() }))
            }
            _ => Err(unusable("answered a question of another type than it was asked")),
        }
    }
}

/// A fault of the answer; completes the sentence "the backend ..".
fn unusable(what: &str) -> DecisionFault {
    DecisionFault::Unusable(what.to_owned())
}
