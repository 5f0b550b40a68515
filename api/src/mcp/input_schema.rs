//! Schemas of tools' arguments: members of the API's own schemas, so that both always say the same.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

use crate::openapi::{SCHEMAS, collect_references};

/// Where a schema has the definitions that it refers to.
const DEFINITIONS: &str = "#/$defs/";

/// The schemas of the interface description, by name.
pub(super) struct ApiSchemas(Map<String, Value>);

/// Members of one of the API's schemas.
pub(super) struct Members {
    /// The name of the schema.
    pub(super) of: &'static str,
    pub(super) names: &'static [&'static str],
}

impl ApiSchemas {
    pub(super) fn new(description: &OpenApi) -> Self {
        let document = serde_json::to_value(description).expect("a description is plain data");
        let schemas = document.pointer("/components/schemas").and_then(Value::as_object);
        Self(schemas.cloned().unwrap_or_default())
    }

    /// The properties of an object with `members`.
    pub(super) fn properties(&self, members: &[Members]) -> Map<String, Value> {
        let mut properties = Map::new();
        for Members { of, names } in members {
            for name in *names {
                let property = &self.0[*of]["properties"][*name];
                properties.insert((*name).to_owned(), property.clone());
            }
        }
        properties
    }

    /// The schema of an object with `properties`, with the definitions that they refer to.
    pub(super) fn object(&self, properties: Map<String, Value>, required: &[&str]) -> Map<String, Value> {
        let mut object = json!({ "type": "object", "properties": properties, "required": required });
        let definitions = self.definitions(&object);
        if !definitions.is_empty() {
            object["$defs"] = Value::Object(definitions);
        }
        refer_to_definitions(&mut object);
        match object {
            Value::Object(object) => object,
            _ => Map::new(),
        }
    }

    /// The schemas that `json` refers to, also through others.
    fn definitions(&self, json: &Value) -> Map<String, Value> {
        let mut next = Vec::new();
        collect_references(json, &mut next);
        let mut seen = BTreeSet::new();
        let mut definitions = Map::new();
        while let Some(name) = next.pop() {
            if seen.insert(name.clone())
                && let Some(schema) = self.0.get(&name)
            {
                collect_references(schema, &mut next);
                definitions.insert(name, schema.clone());
            }
        }
        definitions
    }
}

fn refer_to_definitions(json: &mut Value) {
    match json {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(name) = reference.strip_prefix(SCHEMAS)
            {
                *reference = format!("{DEFINITIONS}{name}");
            }
            members.values_mut().for_each(refer_to_definitions);
        }
        Value::Array(items) => items.iter_mut().for_each(refer_to_definitions),
        _ => {}
    }
}
