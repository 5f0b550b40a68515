//! A JSON Schema (draft 2020-12) of the answers that a request's questions allow. Whatever a backend says is held
//! against it; what does not fit is no answer.

use serde_json::{Map, Value, json};

use super::question::{Question, QuestionKind};
use crate::EngineError;

/// Refuses answers that the questions do not allow.
///
/// # Errors
/// The first thing that does not fit, for the log.
pub(super) fn validate(questions: &[Question], answers: &Map<String, Value>) -> Result<(), EngineError> {
    let schema = of(questions);
    let validator = jsonschema::validator_for(&schema)
        .map_err(|error| EngineError(format!("the schema of the answers is not one: {error}")))?;
    let answers = Value::Object(answers.clone());
    // The place alone: what stands there may repeat the caller's content, and this goes to the log.
    validator.validate(&answers).map_err(|error| {
        EngineError(format!("an answer does not fit its question, at {:?}", error.schema_path().to_string()))
    })
}

/// The schema of an object of answers by key. More keys than asked for are let through and left unread.
pub(super) fn of(questions: &[Question]) -> Value {
    let keys: Vec<&str> = questions.iter().map(|question| question.key.as_str()).collect();
    let properties: Map<String, Value> =
        questions.iter().map(|question| (question.key.clone(), answer(&question.kind))).collect();
    json!({ "type": "object", "required": keys, "properties": properties })
}

fn answer(kind: &QuestionKind) -> Value {
    let probability = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let typed = |name: &str, member: &str, schema: Value| {
        json!({
            "type": "object",
            "required": [member],
            "properties": { "type": { "const": name }, member: schema },
        })
    };
    let probabilities = |names: Vec<String>| {
        json!({
            "type": "object",
            "minProperties": 1,
            "propertyNames": { "enum": names },
            "additionalProperties": probability.clone(),
        })
    };
    match kind {
        QuestionKind::Noul { .. } => typed("noul", "noul", probability),
        QuestionKind::Prompt => json!({
            "anyOf": [typed("noul", "noul", probability), typed("text", "text", json!({ "type": "string" }))],
        }),
        QuestionKind::Choice(choices) => {
            let names: Vec<String> = choices.iter().map(|choice| choice.value.clone()).collect();
            let mut schema = typed("choice", "probabilities", probabilities(names.clone()));
            schema["properties"]["choice"] = json!({ "enum": names });
            schema
        }
        QuestionKind::Score(levels) => typed(
            "score",
            "probabilities",
            probabilities((0..levels.len()).map(|level| level.to_string()).collect()),
        ),
    }
}
