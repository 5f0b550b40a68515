//! Writes the bodies of failed responses, and logs the causes, once.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use domain::{Code, Error};
use ports::id::RequestId;

use super::format::{ErrorFormat, GRAPHQL_JSON};

/// Writes the body of a failed response, whether a handler, a layer or the router failed.
pub(crate) fn render(mut response: Response, request_id: &RequestId, format: ErrorFormat) -> Response {
    let failed = response.status().is_client_error() || response.status().is_server_error();
    let error = match response.extensions_mut().remove::<Arc<Error>>() {
        Some(error) => error,
        None if failed && !has_body(&response) => Arc::new(from_status(response.status())),
        None => return response,
    };
    if let Some(cause) = &error.cause {
        tracing::error!(%request_id, code = error.code.as_str(), cause, "a request failed");
    }
    let (mut parts, _) = response.into_parts();
    let (shape, body) = format.body(&error, request_id).into_parts();
    parts.status = format.status(error.code);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(shape.headers);
    match error.code {
        Code::Unauthorized => {
            parts.headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Code::Overloaded => {
            parts.headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        _ => {}
    }
    Response::from_parts(parts, body)
}

/// Whether a handler has written a body itself, as that of `/readyz` does: JSON, or a page.
fn has_body(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| ["application/json", GRAPHQL_JSON, "text/html"].contains(&kind))
}

/// The error for a bare status from a layer or the router.
fn from_status(status: StatusCode) -> Error {
    let (code, message) = match status {
        StatusCode::NOT_FOUND => (Code::NotFound, "there is nothing at this path"),
        StatusCode::METHOD_NOT_ALLOWED => {
            (Code::MethodNotAllowed, "this path does not answer this method; see the Allow header")
        }
        StatusCode::PAYLOAD_TOO_LARGE => (Code::PayloadTooLarge, "the body is too large"),
        StatusCode::SERVICE_UNAVAILABLE => (Code::Overloaded, "too much work at once; try again shortly"),
        status if status.is_client_error() => (Code::MalformedBody, "the request could not be read"),
        _ => (Code::InternalError, "something went wrong on our side; nothing was charged"),
    };
    Error::new(code, message)
}
