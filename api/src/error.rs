//! Errors as responses: one table from codes to statuses, one renderer for all bodies.
//!
//! A handler fails with [`Failure`], which puts the domain's error into the response's extensions. The renderer, in
//! the outermost layer, writes the body in the format of the route and logs the cause, once.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{Code, Error};
use ports::id::{NotFound, RequestId};
use serde::Serialize;
use utoipa::ToSchema;

mod format;

pub(crate) use format::{ErrorFormat, GRAPHQL_JSON};
pub use format::{OpenAiErrorResponse, SystemOneErrorResponse};

/// The HTTP status of a code.
pub(crate) fn status(code: Code) -> StatusCode {
    match code {
        Code::MalformedBody => StatusCode::BAD_REQUEST,
        Code::Unauthorized => StatusCode::UNAUTHORIZED,
        Code::InsufficientCredits => StatusCode::PAYMENT_REQUIRED,
        Code::Forbidden => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::Conflict => StatusCode::CONFLICT,
        Code::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::ValidationFailed | Code::InvalidImage | Code::IdempotencyMismatch => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::EngineUnavailable | Code::UpstreamFailed | Code::InternalError => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        Code::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// The body of every error on Gavel's own paths.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorResponse {
    /// A message for people.
    #[schema(example = "content must not be empty")]
    pub error: String,
    /// A code for programs.
    #[schema(example = "VALIDATION_FAILED")]
    pub code: String,
    /// The request's id, to quote to the operator.
    #[schema(example = "req_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub request_id: String,
    /// The fields at fault; only on 422.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub details: Vec<FieldError>,
}

impl ErrorResponse {
    pub(crate) fn new(error: &Error, request_id: &RequestId) -> Self {
        let details = error.details.iter();
        let details =
            details.map(|detail| FieldError { field: detail.field.clone(), message: detail.message.clone() });
        Self {
            error: error.message.clone(),
            code: error.code.as_str().to_owned(),
            request_id: request_id.to_string(),
            details: details.collect(),
        }
    }
}

/// One field at fault.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldError {
    /// Path from the body's root.
    #[schema(example = "content")]
    pub field: String,
    /// What is wrong and what is allowed.
    #[schema(example = "must not be empty")]
    pub message: String,
}

/// The error of a handler.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Error);

/// An id that nothing has.
impl From<NotFound> for Failure {
    fn from(missing: NotFound) -> Self {
        Self(missing.into())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = status(self.0.code).into_response();
        response.extensions_mut().insert(Arc::new(self.0));
        response
    }
}

/// Writes the body of a failed response, whether a handler, a layer or the router failed.
pub(crate) fn render(mut response: Response, request_id: &RequestId, format: ErrorFormat) -> Response {
    let failed = response.status().is_client_error() || response.status().is_server_error();
    let error = match response.extensions_mut().remove::<Arc<Error>>() {
        Some(error) => error,
        None if failed && !is_json(&response) => Arc::new(from_status(response.status())),
        None => return response,
    };
    if let Some(cause) = &error.cause {
        tracing::error!(%request_id, code = error.code.as_str(), cause, "a request failed");
    }
    let (mut parts, _) = response.into_parts();
    let (shape, body) = format.body(&error, request_id).into_parts();
    parts.status = status(error.code);
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

/// Whether a handler has written a JSON body itself, as that of `/readyz` does.
fn is_json(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind == "application/json" || kind == GRAPHQL_JSON)
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
