//! The subschemas of a document, with what leads to them followed: references, and alternatives to null.

use serde_json::{Map, Value};

use crate::{
    Error, Result,
    foundation::json_schema::{child, local_reference, place},
};

/// The keywords that restrict values. Any other member, such as `title`, `default` or `format`, is a remark.
const RESTRICTING: [&str; 42] = [
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "unevaluatedItems",
    "unevaluatedProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "contentEncoding",
    "contentMediaType",
];

/// A schema within its bounds, which has no reference that leads back to itself.
#[derive(Clone, Copy)]
pub(super) struct Document<'a> {
    /// Where the schema is in a request, for errors.
    pub(super) field: &'a str,
    pub(super) root: &'a Value,
}

/// A subschema with its references followed.
#[derive(Clone)]
pub(super) struct Node<'a> {
    pub(super) schema: &'a Map<String, Value>,
    pub(super) pointer: String,
    /// The first description on the way.
    pub(super) description: Option<&'a str>,
    /// The first title on the way.
    pub(super) title: Option<&'a str>,
    /// Whether null is allowed beside what the schema says.
    pub(super) nullable: bool,
}

impl<'a> Document<'a> {
    pub(super) fn root(self) -> Result<Node<'a>> {
        self.node(self.root, String::new())
    }

    /// The subschema at a pointer.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the pointer.
    pub(super) fn node(self, schema: &'a Value, pointer: String) -> Result<Node<'a>> {
        let members = self.members(schema, &pointer)?;
        let mut node = Node { schema: members, pointer, description: None, title: None, nullable: false };
        loop {
            node.description = node.description.or_else(|| text(node.schema, "description"));
            node.title = node.title.or_else(|| text(node.schema, "title"));
            let Some((schema, pointer)) = self.next(&mut node)? else { return Ok(node) };
            node.schema = self.members(schema, &pointer)?;
            node.pointer = pointer;
        }
    }

    fn members(self, schema: &'a Value, pointer: &str) -> Result<&'a Map<String, Value>> {
        schema.as_object().ok_or_else(|| self.invalid(pointer, "must be an object that says what is asked"))
    }

    /// The only schema that a node consists of, and its pointer.
    fn next(self, node: &mut Node<'a>) -> Result<Option<(&'a Value, String)>> {
        if let Some(reference) = node.schema.get("$ref") {
            self.only(node, &["$ref"])?;
            let target = reference.as_str().and_then(local_reference).unwrap_or_default();
            return Ok(self.root.pointer(&target).map(|schema| (schema, target)));
        }
        if let Some(Value::Array(schemas)) = node.schema.get("allOf") {
            self.only(node, &["allOf"])?;
            let at = child(&node.pointer, "allOf");
            let [only] = schemas.as_slice() else {
                return Err(self.invalid(&at, "must have only one schema"));
            };
            return Ok(Some((only, child(&at, "0"))));
        }
        let Some((name, branches)) = alternatives(node.schema) else { return Ok(None) };
        let others: Vec<usize> = (0..branches.len()).filter(|index| !is_null(&branches[*index])).collect();
        let [index] = others[..] else { return Ok(None) };
        self.only(node, &[name])?;
        node.nullable |= branches.len() > 1;
        let pointer = child(&child(&node.pointer, name), &index.to_string());
        Ok(Some((&branches[index], pointer)))
    }

    /// Refuses keywords that restrict values, but for some.
    pub(super) fn only(self, node: &Node<'_>, allowed: &[&str]) -> Result<()> {
        let mut names = node.schema.keys().map(String::as_str);
        match names.find(|name| RESTRICTING.contains(name) && !allowed.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let message = format!("is not supported here, only: {}", allowed.join(", "));
                Err(self.invalid(&child(&node.pointer, name), &message))
            }
        }
    }

    pub(super) fn invalid(self, pointer: &str, message: &str) -> Error {
        Error::invalid(place(self.field, pointer), message)
    }
}

/// The alternatives of a subschema, and their keyword.
pub(super) fn alternatives(schema: &Map<String, Value>) -> Option<(&'static str, &Vec<Value>)> {
    let mut keywords = ["anyOf", "oneOf"].into_iter();
    keywords.find_map(|name| Some((name, schema.get(name)?.as_array()?)))
}

/// Whether a schema allows only null.
pub(super) fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
        || schema.get("const").is_some_and(Value::is_null)
        || schema.get("enum").and_then(Value::as_array).is_some_and(|values| values == &[Value::Null])
}

/// The types that a subschema allows; none if it does not say.
pub(super) fn types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A text in a member, unless it is blank.
pub(super) fn text<'a>(schema: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    schema.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}
