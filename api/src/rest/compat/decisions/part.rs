//! The content parts of OpenAI's messages and instructions, as one JSON value. Refuses pictures.

use domain::{Error, Result};
use serde_json::{Map, Value};

/// Types of parts that messages may have.
pub(super) const MESSAGE_PARTS: [&str; 4] = ["input_text", "input_json", "output_text", "refusal"];
/// Types of parts that instructions may have.
pub(super) const INSTRUCTION_PARTS: [&str; 2] = ["input_text", "input_json"];

/// A string, or parts of one of the `allowed` types, found at `path`: text as it is, one part as itself, several as an
/// array.
///
/// # Errors
/// `VALIDATION_FAILED` naming the part.
pub(super) fn content(path: &str, content: &Value, allowed: &[&str]) -> Result<Value> {
    let parts = match content {
        Value::String(_) => return Ok(content.clone()),
        Value::Array(parts) if !parts.is_empty() => parts,
        _ => return Err(Error::invalid(path, "must be a string or an array of parts, and not empty")),
    };
    let parts = parts.iter().enumerate();
    let mut parts = parts
        .map(|(index, one)| part(&format!("{path}[{index}]"), one, allowed))
        .collect::<Result<Vec<_>>>()?;
    Ok(if parts.len() == 1 { parts.remove(0) } else { Value::Array(parts) })
}

fn part(path: &str, part: &Value, allowed: &[&str]) -> Result<Value> {
    let part = object(path, part)?;
    let name = string(path, part, "type")?;
    if name == "input_image" {
        return Err(Error::invalid(path, "cannot be read: no model here looks at pictures"));
    }
    if !allowed.contains(&name) {
        let message = format!("must be one of: {}", allowed.join(", "));
        return Err(Error::invalid(format!("{path}.type"), message));
    }
    match name {
        "input_json" => match part.get("data") {
            Some(data @ (Value::Object(_) | Value::Array(_))) => Ok(data.clone()),
            _ => Err(Error::invalid(format!("{path}.data"), "must be an object or an array")),
        },
        "refusal" => Ok(string(path, part, "refusal")?.into()),
        _ => Ok(string(path, part, "text")?.into()),
    }
}

/// The object at `path`.
pub(super) fn object<'a>(path: &str, value: &'a Value) -> Result<&'a Map<String, Value>> {
    value.as_object().ok_or_else(|| Error::invalid(path, "must be an object"))
}

/// The string named `name` of the object at `path`.
pub(super) fn string<'a>(path: &str, object: &'a Map<String, Value>, name: &str) -> Result<&'a str> {
    match object.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(Error::invalid(format!("{path}.{name}"), "must be a string")),
        None => Err(Error::invalid(format!("{path}.{name}"), "is required")),
    }
}

/// The string named `name` of the object at `path`, if it is there and not null.
pub(super) fn optional<'a>(
    path: &str,
    object: &'a Map<String, Value>,
    name: &str,
) -> Result<Option<&'a str>> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => string(path, object, name).map(Some),
    }
}
