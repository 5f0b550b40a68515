//! The JSON shapes of System One, as its clients write and read them: typesafe-sdk 0.7.5, @typesafe-ai/sdk 0.6.0,
//! typesafe-jev 0.2.0. Descriptions may be text, JSON or null. Keys are not shown to the model.

use std::collections::HashMap;

use domain::{
    Error, Result,
    operations::inference::{self, InferenceRequest, Inferred, InstructionLimits, parse_instructions},
};
use ports::decision::{Parameters, Question, QuestionKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{
    openapi::shapes,
    rest::inference::{InferenceAnswer, by_key},
};

/// Questions about a state.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SystemOneRequest {
    /// The model.
    #[schema(example = "gavel-latest")]
    pub model: Option<String>,
    /// The content to decide about: a string, an object or an array.
    #[schema(schema_with = shapes::system_one_content)]
    pub state: Value,
    /// 1 to 400 questions by name.
    #[schema(schema_with = shapes::system_one_questions)]
    pub questions: Map<String, Value>,
    /// Pictures, which are refused.
    #[serde(default)]
    #[schema(schema_with = shapes::system_one_assets, required = false)]
    pub assets: Option<Map<String, Value>>,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten)]
    #[schema(ignore)]
    #[allow(dead_code)]
    only_objects: (),
}

/// The answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct SystemOneResponse {
    /// The model that answered, with its version.
    pub model: String,
    /// The answers by the names of the questions, in their order.
    #[schema(value_type = HashMap<String, InferenceAnswer>)]
    pub answers: Map<String, Value>,
    /// Tokens.
    pub usage: SystemOneUsage,
}

/// Tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct SystemOneUsage {
    /// Tokens read, summed over questions.
    pub input_tokens: u64,
    /// Tokens written, or questions answered.
    pub output_tokens: u64,
}

/// The levels of each score, as they were sent.
pub(super) type Legends = HashMap<String, Map<String, Value>>;

impl SystemOneRequest {
    /// The levels of each score, which the answer repeats as they were sent; one that is null has a name of ours,
    /// since System One's clients refuse null there.
    pub(super) fn legends(&self) -> Legends {
        let legends = self.questions.iter().filter_map(|(name, question)| {
            let levels = question.get("criteria")?.as_array()?.iter().enumerate();
            let levels = levels.map(|(number, level)| (number.to_string(), level_or_name(number, level)));
            Some((name.clone(), levels.collect()))
        });
        legends.collect()
    }

    /// Parses the request. `lenient_model`: whether an unknown model name means the default model.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field.
    pub(super) fn read(self, lenient_model: bool) -> Result<InferenceRequest> {
        if self.assets.is_some_and(|assets| !assets.is_empty()) {
            return Err(Error::invalid("assets", "cannot be read: no model here looks at pictures"));
        }
        if !matches!(self.state, Value::String(_) | Value::Object(_) | Value::Array(_)) {
            return Err(Error::invalid("state", "must be a string, an object or an array"));
        }
        inference::within("state", &self.state, "questions", &self.questions)?;
        Ok(InferenceRequest {
            state: ports::decision::DecisionState::parse("state", self.state)?,
            questions: parse_questions(self.questions)?,
            output: None,
            backend: inference::Backend::Auto,
            model: self.model.unwrap_or_else(|| "auto".to_owned()),
            lenient_model,
            mode: ports::decision::DecisionMode::Isolated,
            parameters: Parameters::default(),
            checkpoint: None,
        })
    }
}

impl SystemOneResponse {
    pub(super) fn new(inferred: Inferred, legends: &Legends) -> Self {
        let mut answers = by_key(&inferred.answers);
        for (name, legend) in legends {
            if let Some(shown) = answers.get_mut(name).and_then(|answer| answer.get_mut("legend")) {
                *shown = Value::Object(legend.clone());
            }
        }
        let usage = SystemOneUsage {
            input_tokens: inferred.usage.input_tokens,
            output_tokens: inferred.usage.output_tokens,
        };
        Self { model: inferred.model, answers, usage }
    }
}

/// Rewrites System One's questions as Gavel's typed questions.
fn parse_questions(mut questions_by_name: Map<String, Value>) -> Result<Vec<Question>> {
    let mut without_instructions = Vec::new();
    for (name, question) in &mut questions_by_name {
        let Value::Object(question) = question else {
            return Err(Error::invalid(format!("questions.{name}"), "must be an object with a type"));
        };
        if question.get("instructions").is_none_or(Value::is_null) {
            question.shift_remove("instructions");
            without_instructions.push(name.clone());
        }
        if let Some(criteria) = question.get_mut("criteria") {
            criteria_to_text(criteria);
        }
    }
    let mut questions =
        parse_instructions("questions", &Value::Object(questions_by_name), InstructionLimits::COMPATIBLE)?;
    for question in questions.iter_mut().filter(|question| without_instructions.contains(&question.key)) {
        question.instructions = Value::Null;
        if question.kind == (QuestionKind::Noul { yes: None, no: None }) {
            let message = "must have instructions, or criteria with a description";
            return Err(Error::invalid(format!("questions.{}", question.key), message));
        }
    }
    Ok(questions)
}

/// Replaces descriptions that are JSON by their text, and a missing one of a level by its number.
fn criteria_to_text(criteria: &mut Value) {
    match criteria {
        Value::Object(options) => options.values_mut().for_each(description_to_text),
        Value::Array(levels) => {
            for (number, level) in levels.iter_mut().enumerate() {
                description_to_text(level);
                *level = level_or_name(number, level);
            }
        }
        _ => {}
    }
}

/// A level's description, or a name for one that is null.
fn level_or_name(number: usize, level: &Value) -> Value {
    if level.is_null() { Value::String(format!("level {number}")) } else { level.clone() }
}

fn description_to_text(description: &mut Value) {
    if matches!(description, Value::Object(_) | Value::Array(_)) {
        *description = Value::String(description.to_string());
    }
}
