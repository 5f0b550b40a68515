//! The values of a subschema that lists them: `enum`, `const`, or alternatives of those.

use serde_json::Value;

use super::node::{Document, Node, alternatives, is_null, types};
use crate::{Result, foundation::json_schema::child};

/// The member with a description for each value of an `enum`, in their order or by value.
const DESCRIPTIONS: &str = "x-enum-descriptions";

/// A value that a property may have.
pub(super) struct KnownValue {
    pub(super) value: Value,
    /// Its name in answers.
    pub(super) name: String,
    pub(super) description: Option<String>,
}

/// The values that a property may have.
#[derive(Default)]
pub(super) struct KnownValues {
    /// Without null.
    pub(super) values: Vec<KnownValue>,
    pub(super) nullable: bool,
}

impl KnownValues {
    /// The values of a subschema; `None` for one that does not list them.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the pointer.
    pub(super) fn of(document: Document<'_>, node: &Node<'_>) -> Result<Option<Self>> {
        if !["const", "enum", "anyOf", "oneOf"].iter().any(|name| node.schema.contains_key(*name)) {
            return Ok(None);
        }
        let mut known = Self { values: Vec::new(), nullable: node.nullable };
        known.collect(document, node)?;
        Ok(Some(known))
    }

    fn collect(&mut self, document: Document<'_>, node: &Node<'_>) -> Result<()> {
        if let Some(value) = node.schema.get("const") {
            document.only(node, &["const", "type"])?;
            let described = node.description.or(node.title);
            return self.add(
                document,
                node,
                Listed { pointer: child(&node.pointer, "const"), value, described },
            );
        }
        if let Some(Value::Array(values)) = node.schema.get("enum") {
            document.only(node, &["enum", "type"])?;
            let descriptions = Descriptions::of(document, node)?;
            let at = child(&node.pointer, "enum");
            for (index, value) in values.iter().enumerate() {
                let described = descriptions.get(index, &name(value));
                self.add(
                    document,
                    node,
                    Listed { pointer: child(&at, &index.to_string()), value, described },
                )?;
            }
            return Ok(());
        }
        let Some((keyword, branches)) = alternatives(node.schema) else {
            let message = "must list its values with `enum` or `const`, as the other alternatives do";
            return Err(document.invalid(&node.pointer, message));
        };
        document.only(node, &[keyword, "type"])?;
        let at = child(&node.pointer, keyword);
        for (index, branch) in branches.iter().enumerate() {
            if is_null(branch) {
                self.nullable = true;
                continue;
            }
            let branch = document.node(branch, child(&at, &index.to_string()))?;
            self.nullable |= branch.nullable;
            self.collect(document, &branch)?;
        }
        Ok(())
    }

    fn add(&mut self, document: Document<'_>, node: &Node<'_>, listed: Listed<'_>) -> Result<()> {
        let Listed { pointer, value, described } = listed;
        let types = types(node.schema);
        if !types.is_empty() && !types.iter().any(|name| is_of_type(value, name)) {
            return Err(document.invalid(&pointer, &format!("must be of the type {}", types.join(" or "))));
        }
        match value {
            Value::Null => self.nullable = true,
            Value::Array(_) | Value::Object(_) => {
                return Err(document.invalid(&pointer, "must be a string, a number, a boolean or null"));
            }
            Value::String(_) | Value::Number(_) | Value::Bool(_) => self.values.push(KnownValue {
                name: name(value),
                value: value.clone(),
                description: described.map(str::to_owned),
            }),
        }
        Ok(())
    }
}

/// A value in a schema.
struct Listed<'a> {
    pointer: String,
    value: &'a Value,
    described: Option<&'a str>,
}

/// What a schema says of the values that it lists.
#[derive(Clone, Copy)]
pub(super) struct Descriptions<'a>(Option<&'a Value>);

impl<'a> Descriptions<'a> {
    /// # Errors
    /// `VALIDATION_FAILED` naming the pointer, when they are no descriptions.
    pub(super) fn of(document: Document<'_>, node: &Node<'a>) -> Result<Self> {
        let described = node.schema.get(DESCRIPTIONS);
        let are_words = match described {
            None | Some(Value::Null) => true,
            Some(Value::Array(items)) => items.iter().all(is_words),
            Some(Value::Object(members)) => members.values().all(is_words),
            Some(_) => false,
        };
        if are_words {
            return Ok(Self(described));
        }
        let message = "must be descriptions: an array in the order of the values, or an object by value";
        Err(document.invalid(&child(&node.pointer, DESCRIPTIONS), message))
    }

    /// The description of a value.
    pub(super) fn get(self, index: usize, name: &str) -> Option<&'a str> {
        let description = match self.0? {
            Value::Array(items) => items.get(index),
            Value::Object(members) => members.get(name),
            _ => None,
        };
        description.and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    /// The description of a value by its name alone.
    pub(super) fn by_name(self, name: &str) -> Option<String> {
        self.0?.get(name)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
    }
}

fn is_words(value: &Value) -> bool {
    value.is_string() || value.is_null()
}

/// The name of a value in answers.
fn name(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => {
            name == "number"
                || name == "integer" && number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}
