//! Validates the parts of a Judge before they are saved.

use serde_json::{Map, Value};

use crate::{
    Error, Result,
    inference::{InstructionLimits, Parameters, Question, QuestionKind, parse_instructions},
};

const NAME_CHARS: usize = 100;
const DESCRIPTION_CHARS: usize = 2_000;
/// Bytes of instructions and parameters each, as compact JSON.
const STORED_BYTES: usize = 256 * 1024;
/// Bytes of a key that is recorded, and of a choice. Statistics are indexed by both, and PostgreSQL bounds a row of an index
/// to 2,704 bytes.
const KEY_BYTES: usize = 500;
const CHOICE_BYTES: usize = 1_000;

pub(super) fn name(name: &str) -> Result<String> {
    let name = name.trim();
    let fits = !name.is_empty() && name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control);
    let refusal = || Error::invalid("name", format!("must be 1 to {NAME_CHARS} characters on one line"));
    if fits { Ok(name.to_owned()) } else { Err(refusal()) }
}

pub(super) fn description(description: &str) -> Result<String> {
    let fits = description.chars().count() <= DESCRIPTION_CHARS && !description.contains('\0');
    let refusal = || Error::invalid("description", format!("must be at most {DESCRIPTION_CHARS} characters"));
    if fits { Ok(description.trim().to_owned()) } else { Err(refusal()) }
}

pub(super) fn instructions(instructions: &Value) -> Result<Value> {
    recordable(&parse_instructions("instructions", instructions, InstructionLimits::OWN)?)?;
    small("instructions", instructions)?;
    Ok(instructions.clone())
}

pub(super) fn parameters(parameters: &Map<String, Value>) -> Result<Map<String, Value>> {
    Parameters::parse(parameters)?;
    small("parameters", &Value::Object(parameters.clone()))?;
    Ok(parameters.clone())
}

/// Checks that answers to questions can be recorded.
///
/// # Errors
/// `VALIDATION_FAILED` naming `instructions`, for a key or a choice that is too long.
pub(crate) fn recordable(questions: &[Question]) -> Result<()> {
    for Question { key, kind, .. } in questions {
        if key.len() > KEY_BYTES {
            // The whole of it would make the message as long.
            let start: String = key.chars().take(40).collect();
            let message = format!("must have keys of at most {KEY_BYTES} bytes with a Judge, not `{start}…`");
            return Err(Error::invalid("instructions", message));
        }
        let QuestionKind::Choice(choices) = kind else { continue };
        if choices.iter().any(|choice| choice.value.len() > CHOICE_BYTES) {
            let message = format!("must have choices of at most {CHOICE_BYTES} bytes with a Judge");
            return Err(Error::invalid(format!("instructions.{key}"), message));
        }
    }
    Ok(())
}

fn small(field: &str, value: &Value) -> Result<()> {
    let bytes = value.to_string().len();
    if bytes <= STORED_BYTES {
        return Ok(());
    }
    Err(Error::invalid(field, format!("must be at most {STORED_BYTES} bytes, not {bytes}")))
}
