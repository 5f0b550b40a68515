//! Tells a JSON Schema from questions by key.

use serde_json::{Map, Value};

use crate::{Error, Result};

/// The newest draft.
const NEWEST: &str = "https://json-schema.org/draft/2020-12/schema";

/// Whether instructions are a JSON Schema and not questions by key: they name a draft, or they are of the type
/// `object` and have `properties`. Those are no typed question, since their `type` is no string: it would be the schema
/// of a property called `type`.
pub(crate) fn is_schema(instructions: &Value) -> bool {
    instructions.as_object().is_some_and(|members| names_a_draft(members) || describes_an_object(members))
}

fn names_a_draft(members: &Map<String, Value>) -> bool {
    let uri = members.get("$schema").and_then(Value::as_str).unwrap_or_default();
    ["https://json-schema.org/", "http://json-schema.org/"].iter().any(|prefix| uri.starts_with(prefix))
}

fn describes_an_object(members: &Map<String, Value>) -> bool {
    let properties = members.get("properties").and_then(Value::as_object);
    members.get("type").is_some_and(|name| name == "object")
        && properties.is_some_and(|properties| !properties.get("type").is_some_and(Value::is_string))
}

/// The schema in `field` in a form in which it is known as one.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field when it is no object.
pub fn marked_as_schema(field: &str, mut schema: Value) -> Result<Value> {
    let known = is_schema(&schema);
    let Value::Object(members) = &mut schema else {
        return Err(Error::invalid(field, "must be a JSON Schema: an object"));
    };
    if !known && !members.contains_key("$schema") {
        members.insert("$schema".to_owned(), NEWEST.into());
    }
    Ok(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_told_from_questions_by_key() {
        for schema in [
            json!({ "$schema": NEWEST }),
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a" }),
            json!({ "type": "object", "properties": {} }),
            json!({ "type": "object", "properties": { "type": { "enum": ["a", "b"] } } }),
        ] {
            assert!(is_schema(&schema), "{schema}");
        }
        for questions in [
            json!({ "type": "object" }),
            json!({ "type": "object", "properties": ["a", "b"] }),
            json!({ "type": "object", "properties": { "type": "noul", "instructions": "Has it any?" } }),
            json!({ "$schema": "Is it a schema?" }),
            json!({ "properties": { "type": "choice", "criteria": { "a": null, "b": null } } }),
            json!("object"),
            json!([{ "type": "object" }]),
        ] {
            assert!(!is_schema(&questions), "{questions}");
        }
    }
}
