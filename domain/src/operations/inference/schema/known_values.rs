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
            if values.is_empty() {
                return Err(document.invalid(&at, "must have at least one value"));
            }
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
            let pointer = child(&at, &index.to_string());
            let mut own = Self::default();
            if is_null(branch) {
                own.nullable = true;
            } else {
                let branch = document.node(branch, pointer.clone())?;
                own.nullable = branch.nullable;
                own.collect(document, &branch)?;
            }
            if keyword == "oneOf"
                && let Some(both) = self.common(&own)
            {
                let message =
                    format!("must not allow {both}, which another alternative of the `oneOf` allows");
                return Err(document.invalid(&pointer, &message));
            }
            self.nullable |= own.nullable;
            self.values.append(&mut own.values);
        }
        Ok(())
    }

    /// The name of a value that others allow too.
    fn common(&self, others: &Self) -> Option<&str> {
        if self.nullable && others.nullable {
            return Some("null");
        }
        let both = self.values.iter().find(|one| others.values.iter().any(|other| is_same(one, other)));
        both.map(|one| one.name.as_str())
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
            Value::String(_) | Value::Number(_) | Value::Bool(_) => {
                let name = name(value);
                let known =
                    KnownValue { name, value: value.clone(), description: described.map(str::to_owned) };
                // The same number in the same spelling is refused with other choices that occur twice.
                let mut others = self.values.iter().filter(|one| one.name != known.name);
                if let Some(same) = others.find(|one| is_same(one, &known)) {
                    let message = format!("must not be {}, which equals {}", known.name, same.name);
                    return Err(document.invalid(&pointer, &message));
                }
                self.values.push(known);
            }
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

/// Whether JSON Schema takes two values for one: `1` is `1.0`.
fn is_same(one: &KnownValue, other: &KnownValue) -> bool {
    match (&one.value, &other.value) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    }
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
