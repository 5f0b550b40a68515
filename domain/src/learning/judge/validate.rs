//! Validates the parts of a Judge before they are saved.

use serde_json::{Map, Value};

use super::JudgeChange;
use crate::{
    Error, Result,
    foundation::json_schema::JsonSchema,
    operations::inference::{InstructionLimits, parse_instructions},
};
use ports::decision::{Parameters, Question, QuestionKind};

const MAX_NAME_CHARS: usize = 100;
const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// Maximum bytes of instructions and of parameters, each as compact JSON.
const MAX_STORED_BYTES: usize = 256 * 1024;
/// Maximum bytes of a recorded key, and of a choice. Statistics index both, and PostgreSQL limits an index row to
/// 2,704 bytes.
const MAX_KEY_BYTES: usize = 500;
const MAX_CHOICE_BYTES: usize = 1_000;

pub(super) fn name(name: &str) -> Result<String> {
    let name = name.trim();
    let fits =
        !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS && !name.chars().any(char::is_control);
    if fits {
        return Ok(name.to_owned());
    }
    Err(Error::invalid("name", format!("must be 1 to {MAX_NAME_CHARS} characters on one line")))
}

pub(super) fn description(description: &str) -> Result<String> {
    let fits = description.chars().count() <= MAX_DESCRIPTION_CHARS && !description.contains('\0');
    if fits {
        return Ok(description.trim().to_owned());
    }
    let message = format!("must be at most {MAX_DESCRIPTION_CHARS} characters, without NUL");
    Err(Error::invalid("description", message))
}

pub(super) fn instructions(instructions: &Value) -> Result<Value> {
    validate_recordable(&parse_instructions("instructions", instructions, InstructionLimits::OWN)?)?;
    validate_size("instructions", instructions)?;
    Ok(instructions.clone())
}

pub(super) fn parameters(parameters: &Map<String, Value>) -> Result<Map<String, Value>> {
    Parameters::parse(parameters)?;
    validate_size("parameters", &Value::Object(parameters.clone()))?;
    Ok(parameters.clone())
}

pub(super) fn state_schema(schema: &Value) -> Result<Value> {
    JsonSchema::parse("stateSchema", schema)?;
    Ok(schema.clone())
}

/// Validates the fields of a change that are given.
pub(super) fn change(change: JudgeChange) -> Result<JudgeChange> {
    Ok(JudgeChange {
        version: change.version,
        name: change.name.as_deref().map(name).transpose()?,
        description: change.description.as_deref().map(description).transpose()?,
        instructions: change.instructions.as_ref().map(instructions).transpose()?,
        parameters: change.parameters.as_ref().map(parameters).transpose()?,
        state_schema: match change.state_schema {
            Some(Some(schema)) => Some(Some(state_schema(&schema)?)),
            left_out_or_none => left_out_or_none,
        },
        store_content: change.store_content,
    })
}

/// Checks that answers to the questions can be recorded.
///
/// # Errors
/// `VALIDATION_FAILED` naming `instructions`, for a key or a choice that is too long.
pub(crate) fn validate_recordable(questions: &[Question]) -> Result<()> {
    for Question { key, kind, .. } in questions {
        if key.len() > MAX_KEY_BYTES {
            // The whole key would make the message as long.
            let start: String = key.chars().take(40).collect();
            let message =
                format!("must have keys of at most {MAX_KEY_BYTES} bytes with a Judge, not `{start}…`");
            return Err(Error::invalid("instructions", message));
        }
        let QuestionKind::Choice(choices) = kind else { continue };
        if choices.iter().any(|choice| choice.value.len() > MAX_CHOICE_BYTES) {
            let message = format!("must have choices of at most {MAX_CHOICE_BYTES} bytes with a Judge");
            return Err(Error::invalid(format!("instructions.{key}"), message));
        }
    }
    Ok(())
}

fn validate_size(field: &str, value: &Value) -> Result<()> {
    let bytes = value.to_string().len();
    if bytes <= MAX_STORED_BYTES {
        return Ok(());
    }
    Err(Error::invalid(field, format!("must be at most {MAX_STORED_BYTES} bytes, not {bytes}")))
}
