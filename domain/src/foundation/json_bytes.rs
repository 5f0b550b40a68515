//! The size of a JSON value.

use serde_json::Value;

/// The approximate size of a value as text, in bytes.
pub(crate) fn json_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| json_bytes(item) + 1).sum::<usize>() + 2,
        Value::Object(members) => {
            members.iter().map(|(key, value)| key.len() + json_bytes(value) + 4).sum::<usize>() + 2
        }
    }
}
