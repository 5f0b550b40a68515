//! In a request, null is as if a member were absent: the description lets each optional member be null.

use std::collections::BTreeSet;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use utoipa::openapi::OpenApi;

/// A schema of JSON Schemas, in which null is a value.
const OF_JSON_SCHEMAS: &str = "QuestionsSchema";
/// Where the document refers to its schemas.
pub(crate) const SCHEMAS: &str = "#/components/schemas/";

/// Lets each optional member of the schemas that requests use be null.
pub(crate) fn allow_null_in_requests(document: &mut OpenApi) {
    let operations = document.paths.paths.values().filter_map(|path| path.post.as_ref());
    let mut next: Vec<String> = Vec::new();
    for operation in operations {
        collect_references(&to_json(&operation.request_body), &mut next);
    }
    let Some(components) = &mut document.components else { return };
    let mut seen = BTreeSet::from([OF_JSON_SCHEMAS.to_owned()]);
    while let Some(name) = next.pop() {
        let Some(schema) = components.schemas.get_mut(&name).filter(|_| seen.insert(name)) else { continue };
        let mut json = to_json(schema);
        collect_references(&json, &mut next);
        allow_null_members(&mut json);
        *schema = from_json(json);
    }
}

fn to_json(part: &impl Serialize) -> Value {
    serde_json::to_value(part).expect("a description is plain data")
}

fn from_json<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("a schema stays one")
}

/// Adds the names of the schemas that `json` refers to.
pub(crate) fn collect_references(json: &Value, names: &mut Vec<String>) {
    match json {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            names.extend(reference.and_then(|reference| reference.strip_prefix(SCHEMAS)).map(str::to_owned));
            members.values().for_each(|member| collect_references(member, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, names)),
        _ => {}
    }
}

fn allow_null_members(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let required = members.get("required").cloned().unwrap_or_default();
            let required = required.as_array().map_or(&[][..], Vec::as_slice);
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                for (name, property) in properties {
                    if !required.iter().any(|required| required == name) {
                        allow_null(property);
                    }
                }
            }
            members.values_mut().for_each(allow_null_members);
        }
        Value::Array(items) => items.iter_mut().for_each(allow_null_members),
        _ => {}
    }
}

/// Lets a value be null as well.
fn allow_null(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    if let Some(reference) = members.shift_remove("$ref") {
        members.insert("anyOf".to_owned(), json!([{ "type": "null" }, { "$ref": reference }]));
        return;
    }
    let wide = ["oneOf", "anyOf"].into_iter().find(|name| members.contains_key(*name));
    let list = match (members.get_mut("type"), wide) {
        (Some(Value::Array(types)), _) => return push(types, json!("null")),
        (Some(single), _) => {
            *single = json!([single, "null"]);
            members.get_mut("enum").map(|values| (values, Value::Null))
        }
        (None, Some(wide)) => members.get_mut(wide).map(|schemas| (schemas, json!({ "type": "null" }))),
        (None, None) => None,
    };
    if let Some((Value::Array(values), value)) = list {
        push(values, value);
    }
}

fn push(values: &mut Vec<Value>, value: Value) {
    if !values.contains(&value) {
        values.push(value);
    }
}
