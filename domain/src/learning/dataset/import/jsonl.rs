//! Parses a line of JSON Lines. Accepts every member that an export writes and rejects any other by name, since it
//! is probably a typing mistake.

use serde_json::{Map, Value};

use super::validate::{ImportedLine, problem};
use crate::{Detail, foundation::long_numbers::keep_digits};

/// Members that an export writes and an import generates itself.
pub(super) const IGNORED: [&str; 9] = [
    "id",
    "created_at",
    "source",
    "judge_version",
    "backend",
    "latency_ms",
    "credits",
    "request_id",
    "content_hash",
];

/// Parses a line.
///
/// # Errors
/// All problems of the line.
pub(super) fn parse(line: &[u8]) -> Result<ImportedLine, Vec<Detail>> {
    std::str::from_utf8(line).map_err(|_| vec![problem("", "is not UTF-8")])?;
    let value: Value = serde_json::from_slice(&keep_digits(line)).map_err(|error| {
        let error = error.to_string().replace(" at line 1 column ", " at column ");
        vec![problem("", format!("is not JSON: {error}"))]
    })?;
    let Value::Object(members) = value else { return Err(vec![problem("", "must be a JSON object")]) };
    let mut imported = ImportedLine { state_field: "state", ..ImportedLine::default() };
    let mut problems = Vec::new();
    let twice = members.contains_key("state") && members.contains_key("content");
    for (name, value) in members {
        let member = match name.as_str() {
            "state" => {
                imported.state = value;
                Ok(())
            }
            "content" => {
                imported.state_field = "content";
                string(value).map(|text| imported.state = text.map_or(Value::Null, Value::String))
            }
            "instructions" => {
                imported.instructions = Some(value).filter(|value| !value.is_null());
                Ok(())
            }
            "answers" => object(value).map(|answers| imported.answers = answers),
            "ground_truth" => object(value).map(|truths| imported.truths = truths),
            "model" => string(value).map(|model| imported.model = model),
            name if IGNORED.contains(&name) => Ok(()),
            _ => Err(
                "is not a member of an import: state or content, instructions, answers, ground_truth, model",
            ),
        };
        if let Err(message) = member {
            problems.push(problem(name, message));
        }
    }
    if twice {
        problems.push(problem("content", "must not be given together with state"));
    }
    if problems.is_empty() { Ok(imported) } else { Err(problems) }
}

fn object(value: Value) -> Result<Map<String, Value>, &'static str> {
    match value {
        Value::Object(members) => Ok(members),
        Value::Null => Ok(Map::new()),
        _ => Err("must be an object"),
    }
}

fn string(value: Value) -> Result<Option<String>, &'static str> {
    match value {
        Value::String(text) => Ok(Some(text)),
        Value::Null => Ok(None),
        _ => Err("must be a string"),
    }
}
