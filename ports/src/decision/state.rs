//! The input of a decision: any non-blank JSON without NUL characters.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::InvalidField;

/// A validated state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DecisionState(Value);

impl DecisionState {
    /// Validates a state from `field`.
    ///
    /// # Errors
    /// The field: null, a blank string, an empty object or array, a NUL in any string.
    pub fn parse(field: &str, value: Value) -> Result<Self, InvalidField> {
        let blank = match &value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        };
        if blank {
            return Err(InvalidField::new(field, "must not be empty"));
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
///
/// # Errors
/// The field.
pub fn refuse_nul(field: &str, value: &Value) -> Result<(), InvalidField> {
    if has_nul(value) {
        return Err(InvalidField::new(field, "must not contain a NUL character"));
    }
    Ok(())
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(members) => members.iter().any(|(key, value)| key.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
