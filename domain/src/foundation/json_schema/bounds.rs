//! The bounds on a schema, so that no value takes long to validate: how large it is once its references are followed,
//! how deep, and what it may not contain.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::pointer::{child, local_reference, place};
use crate::{Error, Result};

/// Maximum nesting of subschemas, with references followed.
const MAX_DEPTH: usize = 64;
/// Maximum values in a schema, with references followed: each is perhaps one comparison with each value of a document.
const MAX_VALUES: usize = 10_000;
/// Maximum regular expressions.
const MAX_PATTERNS: usize = 32;

/// What a member of a schema holds.
enum Keyword {
    /// A subschema, or an array of them.
    Schema,
    /// Subschemas by name.
    Schemas,
    /// Subschemas by regular expression.
    SchemasByPattern,
    /// Subschemas by name that count only where a reference leads to them.
    Definitions,
    Reference,
    Pattern,
    Refused(&'static str),
    /// Data, such as the values of an enum.
    Data,
}

fn keyword(name: &str, is_root: bool) -> Keyword {
    match name {
        "items"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "allOf"
        | "anyOf"
        | "oneOf"
        | "contentSchema" => Keyword::Schema,
        "properties" | "dependentSchemas" | "dependencies" => Keyword::Schemas,
        "patternProperties" => Keyword::SchemasByPattern,
        "$defs" | "definitions" => Keyword::Definitions,
        "$ref" => Keyword::Reference,
        "pattern" => Keyword::Pattern,
        "$dynamicRef" | "$recursiveRef" => Keyword::Refused("is not supported; use `$ref`"),
        "$id" | "$schema" if !is_root => Keyword::Refused("is allowed only at the top of the schema"),
        _ => Keyword::Data,
    }
}

/// The size of a subschema with its references followed.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    values: usize,
    depth: usize,
}

/// Measures a schema.
struct Measure<'a> {
    /// Where the schema is, for errors.
    field: &'a str,
    root: &'a Value,
    /// The extents of what references point to, by pointer; `None` while one is measured.
    targets: HashMap<String, Option<Extent>>,
    patterns: usize,
}

/// Measures the schema in `field`: the number of its values, with references followed.
///
/// # Errors
/// `VALIDATION_FAILED` naming the pointer: too deep, too large, a reference to another document, to nothing or to
/// what contains it, an unsupported keyword.
pub(super) fn measure(field: &str, schema: &Value) -> Result<usize> {
    let mut measure = Measure { field, root: schema, targets: HashMap::new(), patterns: 0 };
    let extent = measure.extent(schema, "", 0)?;
    if extent.values > MAX_VALUES {
        let message = format!("must have at most {MAX_VALUES} values with its references followed");
        return Err(Error::invalid(field, message));
    }
    Ok(extent.values)
}

impl Measure<'_> {
    fn extent(&mut self, schema: &Value, pointer: &str, depth: usize) -> Result<Extent> {
        if depth > MAX_DEPTH {
            let message =
                format!("must be nested at most {MAX_DEPTH} schemas deep, with references followed");
            return Err(self.invalid(pointer, &message));
        }
        match schema {
            Value::Bool(_) => Ok(Extent { values: 1, depth: 0 }),
            Value::Object(members) => self.members(members, pointer, depth),
            _ => Err(self.invalid(pointer, "must be a schema: an object, true or false")),
        }
    }

    fn members(&mut self, members: &Map<String, Value>, pointer: &str, depth: usize) -> Result<Extent> {
        let mut extent = Extent { values: 1, depth: 0 };
        for (name, value) in members {
            let at = child(pointer, name);
            match (keyword(name, pointer.is_empty()), value) {
                (Keyword::Schema, Value::Array(items)) => {
                    for (index, item) in items.iter().enumerate() {
                        extent.add(self.extent(item, &child(&at, &index.to_string()), depth + 1)?);
                    }
                }
                (Keyword::Schema, schema) => extent.add(self.extent(schema, &at, depth + 1)?),
                (Keyword::Schemas, Value::Object(schemas)) => {
                    self.named(schemas, &at, depth, &mut extent)?;
                }
                (Keyword::SchemasByPattern, Value::Object(schemas)) => {
                    self.add_patterns(schemas.len(), &at)?;
                    self.named(schemas, &at, depth, &mut extent)?;
                }
                (Keyword::Definitions, Value::Object(schemas)) => {
                    for name in schemas.keys() {
                        self.target(child(&at, name), &at, depth)?;
                    }
                }
                (Keyword::Reference, reference) => {
                    let target = reference.as_str().and_then(local_reference).ok_or_else(|| {
                        self.invalid(&at, "must refer to a part of this schema, such as `#/$defs/name`")
                    })?;
                    extent.add(self.target(target, &at, depth)?);
                }
                (Keyword::Pattern, _) => {
                    self.add_patterns(1, &at)?;
                    extent.values += 1;
                }
                (Keyword::Refused(message), _) => return Err(self.invalid(&at, message)),
                (_, data) => extent.values += count(data),
            }
        }
        Ok(extent)
    }

    /// Adds subschemas by name. Those of `dependencies` may be lists of names.
    fn named(
        &mut self,
        schemas: &Map<String, Value>,
        pointer: &str,
        depth: usize,
        extent: &mut Extent,
    ) -> Result<()> {
        for (name, schema) in schemas {
            match schema {
                Value::Array(_) => extent.values += count(schema),
                schema => extent.add(self.extent(schema, &child(pointer, name), depth + 1)?),
            }
        }
        Ok(())
    }

    /// Measures what a reference in `at` points to.
    fn target(&mut self, target: String, at: &str, depth: usize) -> Result<Extent> {
        match self.targets.get(&target) {
            Some(Some(known)) if depth + 1 + known.depth <= MAX_DEPTH => return Ok(*known),
            Some(None) => return Err(self.invalid(at, "must not lead back to itself")),
            _ => {}
        }
        let Some(schema) = self.root.pointer(&target) else {
            return Err(self.invalid(at, "must refer to a part of this schema that exists"));
        };
        self.targets.insert(target.clone(), None);
        let extent = self.extent(schema, &target, depth + 1)?;
        self.targets.insert(target, Some(extent));
        Ok(extent)
    }

    fn add_patterns(&mut self, patterns: usize, at: &str) -> Result<()> {
        self.patterns += patterns;
        if self.patterns > MAX_PATTERNS {
            let message =
                format!("is one too many: a schema may have at most {MAX_PATTERNS} regular expressions");
            return Err(self.invalid(at, &message));
        }
        Ok(())
    }

    fn invalid(&self, pointer: &str, message: &str) -> Error {
        Error::invalid(place(self.field, pointer), message)
    }
}

impl Extent {
    fn add(&mut self, subschema: Extent) {
        self.values = self.values.saturating_add(subschema.values);
        self.depth = self.depth.max(subschema.depth + 1);
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The field at fault.
    fn refused(schema: Value) -> String {
        measure("s", &schema).unwrap_err().details[0].field.clone()
    }

    /// A schema that refers to another twice.
    fn twice(of: &str) -> Value {
        json!({ "allOf": [{ "$ref": of }, { "$ref": of }] })
    }

    #[test]
    fn references_count_wherever_they_lead() {
        let mut defs = Map::from_iter([("d0".to_owned(), json!({ "type": "string" }))]);
        for n in 1..=8 {
            defs.insert(format!("d{n}"), twice(&format!("#/$defs/d{}", n - 1)));
        }
        assert!(measure("s", &json!({ "$defs": defs, "$ref": "#/$defs/d8" })).unwrap() > 512);
        for n in 9..=20 {
            defs.insert(format!("d{n}"), twice(&format!("#/$defs/d{}", n - 1)));
        }
        assert_eq!(refused(json!({ "$defs": defs, "$ref": "#/$defs/d20" })), "s");
    }

    #[test]
    fn what_is_unbounded_or_elsewhere_is_refused_by_its_pointer() {
        let cycle =
            json!({ "$defs": { "a": { "items": { "$ref": "#/$defs/b" } }, "b": { "$ref": "#/$defs/a" } } });
        assert_eq!(refused(cycle), "s#/$defs/b/$ref");
        assert_eq!(refused(json!({ "properties": { "self": { "$ref": "#" } } })), "s#/properties/self/$ref");
        for reference in
            [json!("https://example.com/s.json"), json!("s.json#/a"), json!("#/nowhere"), json!(5)]
        {
            assert_eq!(refused(json!({ "not": { "$ref": reference } })), "s#/not/$ref");
        }
        assert_eq!(refused(json!({ "items": { "$id": "x" } })), "s#/items/$id");
        assert_eq!(refused(json!({ "items": { "$dynamicRef": "#x" } })), "s#/items/$dynamicRef");
        assert_eq!(refused(json!({ "properties": { "a": 5 } })), "s#/properties/a");
        let deep = (0..70).fold(json!({}), |inner, _| json!({ "items": inner }));
        assert!(refused(deep).starts_with("s#/items/items"));
        let patterns: Vec<Value> = (0..33).map(|n| json!({ "pattern": n.to_string() })).collect();
        assert_eq!(refused(json!({ "anyOf": patterns })), "s#/anyOf/32/pattern");
        let properties = json!({ "$ref": { "type": "string" } });
        let fine = json!({ "$id": "x", "enum": [{ "$id": 1, "$ref": 2 }], "properties": properties });
        measure("s", &fine).unwrap();
    }
}
