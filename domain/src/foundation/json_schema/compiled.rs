//! A compiled schema.

use jsonschema::{Draft, PatternOptions, Validator};
use ports::decision::refuse_nul;
use serde_json::{Map, Value};

use super::{bounds, pointer::place, violation};
use crate::{Error, Result};

/// Maximum bytes of a schema, as compact JSON.
const MAX_SCHEMA_BYTES: usize = 64 * 1024;
/// Maximum bytes of a compiled regular expression, and of what it remembers while it matches.
const PATTERN_BYTES: usize = 256 * 1024;
/// Maximum product of a schema's values and a value's size: about half a second at worst.
const MAX_STEPS: usize = 1 << 29;
/// A product up to which a validation takes no longer than a few milliseconds at worst.
const SHORT_STEPS: usize = 1 << 22;
/// A compiled schema's bytes for each of its document, at most.
const COMPILED_FACTOR: usize = 24;

/// A JSON Schema of draft 7, 2019-09 or 2020-12, which may refer only to itself. `format` is an annotation; regular
/// expressions match in linear time.
#[derive(Debug)]
pub struct JsonSchema {
    validator: Validator,
    /// Its values, with references followed.
    values: usize,
    /// An estimate of its size in memory.
    bytes: usize,
}

impl JsonSchema {
    /// Compiles the schema in `field`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field and the JSON pointer: no schema, too large, too deep, a reference that
    /// leaves the schema or leads back to itself, a regular expression that does not match in linear time.
    pub fn parse(field: &str, schema: &Value) -> Result<Self> {
        let Value::Object(members) = schema else {
            return Err(Error::invalid(field, "must be a JSON Schema: an object"));
        };
        refuse_nul(field, schema)?;
        let bytes = schema.to_string().len();
        if bytes > MAX_SCHEMA_BYTES {
            let message = format!("must be at most {MAX_SCHEMA_BYTES} bytes as a JSON Schema, not {bytes}");
            return Err(Error::invalid(field, message));
        }
        let values = bounds::measure(field, schema)?;
        let draft = draft(field, members)?;
        // References are pointers, so that the schema's own name matters to nobody.
        let mut unnamed = members.clone();
        unnamed.shift_remove("$schema");
        unnamed.shift_remove("$id");
        let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
        let validator = jsonschema::options()
            .with_draft(draft)
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(patterns)
            .build(&Value::Object(unnamed))
            .map_err(|error| violation::of_schema(field, &error))?;
        Ok(Self { validator, values, bytes: bytes * COMPILED_FACTOR })
    }

    /// An estimate of its size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Checks that the value in `field` fits.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the JSON pointer into the value, and the rule by its pointer into the schema.
    pub fn check(&self, field: &str, value: &Value) -> Result<()> {
        if self.steps(value) > MAX_STEPS {
            let most = MAX_STEPS / self.values.max(1);
            return Err(Error::invalid(
                field,
                format!("must have at most {most} bytes to be checked by its schema"),
            ));
        }
        if self.validator.is_valid(value) {
            return Ok(());
        }
        self.validator.validate(value).map_err(|error| violation::of_value(field, &error))
    }

    /// Whether a value is checked in no time that others would notice.
    pub(crate) fn is_quick(&self, value: &Value) -> bool {
        self.steps(value) <= SHORT_STEPS
    }

    /// The product of the schema's values and the value's size: a check needs no more comparisons.
    fn steps(&self, value: &Value) -> usize {
        size(value).saturating_mul(self.values)
    }
}

/// About the bytes of a value.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => 2 + text.len(),
        Value::Array(items) => 2 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => {
            2 + members.iter().map(|(name, value)| name.len() + size(value)).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 2,
    }
}

/// The draft that a schema names, or the newest.
fn draft(field: &str, schema: &Map<String, Value>) -> Result<Draft> {
    let Some(named) = schema.get("$schema") else { return Ok(Draft::Draft202012) };
    let uri = named.as_str().unwrap_or_default().trim_end_matches('#');
    let known = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://")).unwrap_or_default();
    match known {
        "json-schema.org/draft-07/schema" => Ok(Draft::Draft7),
        "json-schema.org/draft/2019-09/schema" => Ok(Draft::Draft201909),
        "json-schema.org/draft/2020-12/schema" => Ok(Draft::Draft202012),
        _ => Err(Error::invalid(
            place(field, "/$schema"),
            "must be one of: https://json-schema.org/draft/2020-12/schema, \
             https://json-schema.org/draft/2019-09/schema, http://json-schema.org/draft-07/schema#",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema(schema: Value) -> JsonSchema {
        JsonSchema::parse("schema", &schema).unwrap()
    }

    fn message(schema: &JsonSchema, value: &Value) -> String {
        schema.check("state", value).unwrap_err().message
    }

    #[test]
    fn a_value_that_does_not_fit_is_named_with_its_rule() {
        let order = schema(json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "pattern": "^[A-Z]{2}\\d+$" },
                "total": { "anyOf": [{ "type": "number", "minimum": 0 }, { "type": "null" }] },
                "lines": { "type": "array", "items": { "$ref": "#/$defs/line" } },
            },
            "required": ["id"],
            "additionalProperties": false,
            "$defs": { "line": { "enum": ["lamp", "desk"] } },
        }));
        order.check("state", &json!({ "id": "AB1", "total": null, "lines": ["lamp"] })).unwrap();
        for (value, expected) in [
            (json!([]), "state must be of the type object (rule #/type)"),
            (json!({}), "state must have the member \"id\" (rule #/required)"),
            (
                json!({ "id": "ab1" }),
                "state#/id must match the pattern \"^[A-Z]{2}\\\\d+$\" (rule #/properties/id/pattern)",
            ),
            (
                json!({ "id": "AB1", "total": "5" }),
                "state#/total must be of the type number or null (rule #/properties/total/anyOf)",
            ),
            (
                json!({ "id": "AB1", "lines": ["lamp", "bed"] }),
                "state#/lines/1 must be one of: \"lamp\", \"desk\" (rule #/$defs/line/enum)",
            ),
            (
                json!({ "id": "AB1", "more": 1 }),
                "state must not have the member \"more\" (rule #/additionalProperties)",
            ),
        ] {
            assert_eq!(message(&order, &value), expected);
        }
    }

    #[test]
    fn a_schema_that_is_none_is_refused_by_its_pointer() {
        for (wrong, field) in [
            (json!(true), "schema"),
            (json!({ "$schema": "https://example.com/meta" }), "schema#/$schema"),
            (json!({ "$schema": 7 }), "schema#/$schema"),
            (json!({ "properties": { "a": { "type": "text" } } }), "schema#/properties/a/type"),
            (json!({ "properties": { "a": { "minLength": -1 } } }), "schema#/properties/a/minLength"),
            (json!({ "properties": { "a": { "pattern": "(?=x)y" } } }), "schema#/properties/a/pattern"),
            (json!({ "properties": { "a": { "pattern": "(a)\\1" } } }), "schema#/properties/a/pattern"),
            (
                json!({ "properties": { "a": { "pattern": "^x(\\w{1,500}y){1,500}z$" } } }),
                "schema#/properties/a/pattern",
            ),
            (json!({ "description": "x".repeat(70_000) }), "schema"),
        ] {
            let error = JsonSchema::parse("schema", &wrong).unwrap_err();
            assert_eq!(error.details[0].field, field, "{}", error.message);
        }
    }

    #[test]
    fn a_wrong_type_of_a_schema_is_named_with_those_there_are() {
        let types = r#"one of: "array", "boolean", "integer", "null", "number", "object", "string""#;
        for (wrong, message) in [
            (json!("text"), format!("schema#/type must be of the type array or {types}")),
            (json!(["text"]), format!("schema#/type/0 must be {types}")),
            (json!([]), "schema#/type must have at least 1 item".to_owned()),
        ] {
            let error = JsonSchema::parse("schema", &json!({ "type": wrong })).unwrap_err();
            assert_eq!(error.message, message);
        }
        let short = schema(json!({ "minItems": 1, "maxLength": 2 }));
        assert_eq!(message(&short, &json!([])), "state must have at least 1 item (rule #/minItems)");
        assert_eq!(message(&short, &json!("abc")), "state must have at most 2 characters (rule #/maxLength)");
    }

    #[test]
    fn what_would_take_long_is_refused() {
        let subschemas: Vec<Value> = (0..1_500).map(|n| json!({ "not": { "const": -1 - n } })).collect();
        let slow = schema(json!({ "items": { "allOf": subschemas } }));
        assert!(!slow.is_quick(&json!(vec![0; 10_000])));
        assert!(message(&slow, &json!(vec![0; 100_000])).contains("to be checked by its schema"));
        assert!(slow.is_quick(&json!(vec![0; 100])));
    }
}
