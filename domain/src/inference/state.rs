//! The input of a decision: any non-blank JSON without NUL characters.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Error, Result};

/// Bytes of state and instructions together, as compact JSON, at most.
pub const MAX_INPUT_BYTES: usize = 256 * 1024;

/// A validated state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(Value);

impl State {
    /// Validates a state from `field`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field: null, a blank string, an empty object or array, a NUL in any string.
    pub fn parse(field: &str, value: Value) -> Result<Self> {
        let blank = match &value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        };
        if blank {
            return Err(Error::invalid(field, "must not be empty"));
        }
        refuse_nul(field, &value)?;
        Ok(Self(value))
    }

    pub fn into_value(self) -> Value {
        self.0
    }

    pub fn value(&self) -> &Value {
        &self.0
    }
}

/// Rejects a NUL in any string or key: databases cannot store one, and no model was trained on one.
pub(super) fn refuse_nul(field: &str, value: &Value) -> Result<()> {
    let bad = |text: &str| text.contains('\0');
    let nul = || Err(Error::invalid(field, "must not hold a NUL character"));
    match value {
        Value::String(text) if bad(text) => nul(),
        Value::Array(items) => items.iter().try_for_each(|item| refuse_nul(field, item)),
        Value::Object(members) => members
            .iter()
            .try_for_each(|(key, value)| if bad(key) { nul() } else { refuse_nul(field, value) }),
        _ => Ok(()),
    }
}

/// Rejects a state from `field` and questions from `asked_in` that are too large together, each as submitted.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field.
pub fn within(field: &str, state: &impl Serialize, asked_in: &str, asked: &impl Serialize) -> Result<()> {
    let bytes = |value: serde_json::Result<Vec<u8>>| value.map(|bytes| bytes.len()).map_err(Error::internal);
    let size = bytes(serde_json::to_vec(state))? + bytes(serde_json::to_vec(asked))?;
    if size > MAX_INPUT_BYTES {
        let message = format!("and {asked_in} must be at most {MAX_INPUT_BYTES} bytes together, not {size}");
        return Err(Error::invalid(field, message));
    }
    Ok(())
}
