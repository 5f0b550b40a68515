//! What instructions ask, in whichever form.

use std::sync::Arc;

use serde_json::Value;

use super::{
    instructions::{self, InstructionLimits},
    schema::{OutputSchema, is_schema},
};
use crate::Result;
use ports::decision::{Question, refuse_nul};

/// Questions, and the schema of the object that answers them if they came as one.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Never empty.
    pub questions: Vec<Question>,
    pub output: Option<Arc<OutputSchema>>,
}

impl Asked {
    /// Parses instructions from `field`: an object of questions by key, an array of questions, a prompt, or a JSON
    /// Schema where `limits` allows one.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field, and for a schema its JSON pointer.
    pub fn parse(field: &str, instructions: &Value, limits: InstructionLimits) -> Result<Self> {
        if limits.schemas && is_schema(instructions) {
            refuse_nul(field, instructions)?;
            let (output, questions) = OutputSchema::parse(field, instructions, limits)?;
            return Ok(Self { questions, output: Some(Arc::new(output)) });
        }
        Ok(Self { questions: instructions::parse(field, instructions, limits)?, output: None })
    }
}

/// Parses the questions of instructions from `field`.
///
/// # Errors
/// Those of [`Asked::parse`].
pub fn parse_instructions(
    field: &str,
    instructions: &Value,
    limits: InstructionLimits,
) -> Result<Vec<Question>> {
    Ok(Asked::parse(field, instructions, limits)?.questions)
}
