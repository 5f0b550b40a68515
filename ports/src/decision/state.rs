//! The input of a decision: any non-blank JSON without NUL characters.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::InvalidField;

/// A validated state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(Value);

impl State {
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
    let bad = |text: &str| text.contains('\0');
    let nul = || Err(InvalidField::new(field, "must not hold a NUL character"));
    match value {
        Value::String(text) if bad(text) => nul(),
        Value::Array(items) => items.iter().try_for_each(|item| refuse_nul(field, item)),
        Value::Object(members) => members
            .iter()
            .try_for_each(|(key, value)| if bad(key) { nul() } else { refuse_nul(field, value) }),
        _ => Ok(()),
    }
}
