//! OpenAI's `input` as a state: text as it is, a conversation as an array of messages.

use std::collections::HashSet;

use domain::{Error, Result};
use serde_json::{Map, Value, json};

use super::part::{MESSAGE_PARTS, content, object, optional, string};

const ROLES: [&str; 4] = ["user", "developer", "system", "assistant"];
const TYPES: [&str; 5] =
    ["message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"];

/// Parses `input`: a string, or messages, tool calls and their outputs in order. A single user message becomes its
/// content.
///
/// # Errors
/// `VALIDATION_FAILED` naming the item: an unknown type or role, a picture, an output without its call.
pub(super) fn parse(input: Value) -> Result<Value> {
    let items = match &input {
        Value::String(_) => return Ok(input),
        Value::Array(items) => items,
        _ => return Err(Error::invalid("input", "must be a string or an array of messages")),
    };
    let mut calls = HashSet::new();
    let items = items.iter().enumerate();
    let mut messages = items
        .map(|(index, one)| item(&format!("input[{index}]"), one, &mut calls))
        .collect::<Result<Vec<_>>>()?;
    match messages.as_mut_slice() {
        [Value::Object(only)] if only.get("role") == Some(&json!("user")) => {
            Ok(only.remove("content").unwrap_or_default())
        }
        _ => Ok(Value::Array(messages)),
    }
}

fn item<'a>(path: &str, item: &'a Value, calls: &mut HashSet<&'a str>) -> Result<Value> {
    let item = object(path, item)?;
    let name = optional(path, item, "type")?.unwrap_or("message");
    match name {
        "message" => message(path, item),
        "function_call" | "custom_tool_call" => {
            let argument = if name == "function_call" { "arguments" } else { "input" };
            calls.insert(string(path, item, "call_id")?);
            Ok(json!({ "call": string(path, item, "name")?, argument: string(path, item, argument)? }))
        }
        "function_call_output" | "custom_tool_call_output" => {
            if !calls.contains(string(path, item, "call_id")?) {
                return Err(Error::invalid(
                    format!("{path}.call_id"),
                    "must be the `call_id` of an earlier call",
                ));
            }
            let output = item.get("output").unwrap_or(&Value::Null);
            Ok(json!({ "output": content(&format!("{path}.output"), output, &MESSAGE_PARTS)? }))
        }
        _ => {
            let message = format!("must be one of: {}", TYPES.join(", "));
            Err(Error::invalid(format!("{path}.type"), message))
        }
    }
}

fn message(path: &str, message: &Map<String, Value>) -> Result<Value> {
    let role = string(path, message, "role")?;
    if !ROLES.contains(&role) {
        return Err(Error::invalid(format!("{path}.role"), format!("must be one of: {}", ROLES.join(", "))));
    }
    let parts = message.get("content").unwrap_or(&Value::Null);
    Ok(json!({ "role": role, "content": content(&format!("{path}.content"), parts, &MESSAGE_PARTS)? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        json!({ "type": "input_text", "text": text })
    }

    #[test]
    fn a_conversation_keeps_the_role_of_each_message() {
        for (input, state) in [
            (json!("hello"), json!("hello")),
            (json!([{ "role": "user", "content": "hello" }]), json!("hello")),
            (json!([{ "role": "user", "content": [text("a"), text("b")] }]), json!(["a", "b"])),
            (
                json!([{
                    "type": "message", "role": "user", "content": [{ "type": "input_json", "data": { "a": 1 } }]
                }]),
                json!({ "a": 1 }),
            ),
            (
                json!([{ "role": "system", "content": "be brief" }]),
                json!([{ "role": "system", "content": "be brief" }]),
            ),
            (
                json!([
                    { "role": "user", "content": "refund me" },
                    { "type": "function_call", "call_id": "c", "name": "find", "arguments": "{}" },
                    { "type": "function_call_output", "call_id": "c", "output": [text("found")] },
                    { "role": "assistant", "content": [{ "type": "output_text", "text": "done" }] },
                ]),
                json!([
                    { "role": "user", "content": "refund me" },
                    { "call": "find", "arguments": "{}" },
                    { "output": "found" },
                    { "role": "assistant", "content": "done" },
                ]),
            ),
        ] {
            assert_eq!(parse(input).unwrap(), state);
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let image = json!({ "type": "input_image", "image_url": "https://example.com/a.png" });
        for (input, field) in [
            (json!(5), "input"),
            (json!(["hello"]), "input[0]"),
            (json!([{ "content": "hello" }]), "input[0].role"),
            (json!([{ "role": "tool", "content": "hello" }]), "input[0].role"),
            (json!([{ "role": "user" }]), "input[0].content"),
            (json!([{ "role": "user", "content": [] }]), "input[0].content"),
            (json!([{ "role": "user", "content": [image] }]), "input[0].content[0]"),
            (json!([{ "type": "reasoning" }]), "input[0].type"),
            (json!([{ "type": "function_call_output", "call_id": "c", "output": "x" }]), "input[0].call_id"),
        ] {
            let error = parse(input.clone()).unwrap_err();
            assert_eq!(error.details[0].field, field, "{input}");
        }
    }
}
