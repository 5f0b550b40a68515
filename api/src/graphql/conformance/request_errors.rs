//! Request errors.
//!
//! Specification 7.1: when an error was raised before execution began, the response has no entry `data`, not even null.
//! async-graphql always writes one (`Response` in `response.rs`); #1564, which omitted more than that, was reverted
//! (#1596).

use async_graphql::{Response, Value};
use serde_json::json;

/// Whether nothing was executed: there is no data, and no error belongs to a field.
pub(in crate::graphql) fn is_request_error(response: &Response) -> bool {
    response.data == Value::Null
        && !response.errors.is_empty()
        && response.errors.iter().all(|error| error.path.is_empty())
}

/// The response as it is sent over HTTP.
pub(in crate::graphql) fn response_body(response: &Response) -> serde_json::Result<Vec<u8>> {
    if is_request_error(response) {
        serde_json::to_vec(&json!({ "errors": response.errors }))
    } else {
        serde_json::to_vec(response)
    }
}
