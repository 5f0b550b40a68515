//! Examples of requests and answers in the interface description, as a server gave them.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::{Content, RefOr, path::Operation};

/// The examples by operation.
static EXAMPLES: LazyLock<HashMap<String, Example>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).expect("examples.json is valid"));

/// The examples of an operation by media type.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Example {
    request: HashMap<String, Value>,
    response: HashMap<String, Value>,
}

/// Adds the examples of an operation, if there are any.
pub(crate) fn add_examples(operation: &mut Operation) {
    let Some(example) = operation.operation_id.as_deref().and_then(|id| EXAMPLES.get(id)) else { return };
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        for (media_type, content) in &mut body.content {
            add(content, example.request.get(media_type));
        }
    }
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        for (media_type, content) in &mut response.content {
            add(content, example.response.get(media_type).filter(|_| status.starts_with('2')));
        }
    }
}

fn add(content: &mut RefOr<Content>, example: Option<&Value>) {
    if let (RefOr::T(content), Some(example)) = (content, example) {
        content.example = Some(example.clone());
    }
}
