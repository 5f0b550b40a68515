//! The formats of error bodies. Each route has one format for all its errors, including those of the outer layers.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{Code, Detail, Error, Result};
use ports::id::RequestId;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::status::status;

/// The format of a route's errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// Gavel's own.
    Gavel,
    /// System One's.
    SystemOne,
    /// OpenAI's.
    OpenAi,
    /// GraphQL's.
    GraphQl,
}

/// The media type of GraphQL responses, by the specification GraphQL over HTTP.
pub(crate) const GRAPHQL_JSON: &str = "application/graphql-response+json";

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

/// The body of every error on the paths of System One. Its clients read `error`, or `detail`.
#[derive(Debug, Serialize, ToSchema)]
pub struct SystemOneErrorResponse {
    /// A message for people.
    #[schema(example = "questions must not be empty")]
    pub error: String,
    /// A code for programs.
    #[schema(example = "VALIDATION_FAILED")]
    pub code: String,
    /// The request's id, to quote to the operator.
    #[schema(example = "req_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub request_id: String,
    /// The values at fault on 422, and what went wrong on every other status.
    pub detail: SystemOneDetail,
}

/// What went wrong, as System One says it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum SystemOneDetail {
    /// A body that is not valid.
    Values(Vec<SystemOneErrorDetail>),
    /// Everything else.
    Other(SystemOneError),
}

/// An error that is not about a value of the body.
#[derive(Debug, Serialize, ToSchema)]
pub struct SystemOneError {
    /// The kind of error, by status.
    #[schema(example = "authentication_error")]
    pub error_type: &'static str,
    /// A message for people, the same as `error`.
    pub message: String,
}

/// One value at fault.
#[derive(Debug, Serialize, ToSchema)]
pub struct SystemOneErrorDetail {
    /// Path to the value: the part of the request, then field names and array indices.
    #[schema(example = json!(["body", "questions", "urgency", "criteria", 0]))]
    pub loc: Vec<LocationStep>,
    /// What is wrong and what is allowed.
    pub msg: String,
    /// `missing`, `value_error` or `json_invalid`.
    #[serde(rename = "type")]
    #[schema(example = "value_error")]
    pub kind: &'static str,
}

/// A step of the path to a value.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum LocationStep {
    /// The name of a field.
    Name(String),
    /// An index of an array.
    Index(u64),
}

/// The body of every error on OpenAI's paths.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiErrorResponse {
    /// What went wrong.
    pub error: OpenAiError,
}

/// What went wrong.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiError {
    /// A message for people.
    #[schema(example = "questions must not be empty")]
    pub message: String,
    /// The kind of error, by status.
    #[serde(rename = "type")]
    #[schema(example = "invalid_request_error")]
    pub kind: &'static str,
    /// The field at fault; null when none is.
    #[schema(example = "questions")]
    pub param: Option<String>,
    /// A code for programs, the same as on other paths.
    #[schema(example = "VALIDATION_FAILED")]
    pub code: String,
}

impl OpenAiErrorResponse {
    fn new(error: &Error) -> Self {
        let param = error.details.first().map(|detail| detail.field.clone());
        let code = error.code.as_str().to_owned();
        Self { error: OpenAiError { message: error.message.clone(), kind: kind(error.code), param, code } }
    }
}

impl ErrorFormat {
    /// The name of the body's schema in the interface description; GraphQL has a schema of its own.
    pub(crate) fn schema_name(self) -> Option<&'static str> {
        match self {
            ErrorFormat::Gavel => Some("ErrorResponse"),
            ErrorFormat::SystemOne => Some("SystemOneErrorResponse"),
            ErrorFormat::OpenAi => Some("OpenAiErrorResponse"),
            ErrorFormat::GraphQl => None,
        }
    }

    /// The status of an error. System One's paths answer a body that cannot be read like one that is not valid.
    pub(super) fn status(self, code: Code) -> StatusCode {
        match (self, code) {
            (ErrorFormat::SystemOne, Code::MalformedBody) => StatusCode::UNPROCESSABLE_ENTITY,
            _ => status(code),
        }
    }

    /// The body of an error as JSON, for Gavel's own and OpenAI's format.
    ///
    /// # Errors
    /// None that can happen: it is plain data.
    pub(crate) fn json(self, error: &Error, request_id: &RequestId) -> Result<Value> {
        let json = match self {
            ErrorFormat::OpenAi => serde_json::to_value(OpenAiErrorResponse::new(error)),
            _ => serde_json::to_value(ErrorResponse::new(error, request_id)),
        };
        json.map_err(Error::internal)
    }

    /// The body of an error.
    pub(super) fn body(self, error: &Error, request_id: &RequestId) -> Response {
        let message = error.message.clone();
        let code = error.code.as_str().to_owned();
        match self {
            ErrorFormat::Gavel => Json(ErrorResponse::new(error, request_id)).into_response(),
            ErrorFormat::SystemOne => {
                let detail = SystemOneDetail::new(error);
                let request_id = request_id.to_string();
                Json(SystemOneErrorResponse { error: message, code, request_id, detail }).into_response()
            }
            ErrorFormat::OpenAi => Json(OpenAiErrorResponse::new(error)).into_response(),
            ErrorFormat::GraphQl => {
                let extensions = json!({ "code": code, "request_id": request_id.to_string() });
                let errors = json!({ "errors": [{ "message": message, "extensions": extensions }] });
                let kind = HeaderValue::from_static(GRAPHQL_JSON);
                ([(header::CONTENT_TYPE, kind)], Json(errors)).into_response()
            }
        }
    }
}

/// The name that OpenAI and System One have for a kind of error.
fn kind(code: Code) -> &'static str {
    match code {
        Code::Unauthorized => "authentication_error",
        Code::Forbidden => "permission_error",
        Code::InsufficientCredits => "insufficient_quota",
        Code::RateLimited => "rate_limit_error",
        code if status(code).is_server_error() => "server_error",
        _ => "invalid_request_error",
    }
}

impl SystemOneDetail {
    fn new(error: &Error) -> Self {
        let message = error.message.clone();
        match error.code {
            Code::MalformedBody => {
                Self::Values(vec![SystemOneErrorDetail::at("body", message, "json_invalid")])
            }
            Code::IdempotencyMismatch => {
                Self::Values(vec![SystemOneErrorDetail::at("Idempotency-Key", message, "value_error")])
            }
            Code::ValidationFailed => {
                Self::Values(error.details.iter().map(SystemOneErrorDetail::new).collect())
            }
            code => Self::Other(SystemOneError { error_type: kind(code), message }),
        }
    }
}

impl SystemOneErrorDetail {
    fn new(detail: &Detail) -> Self {
        let missing = detail.message.starts_with("is required");
        let kind = if missing { "missing" } else { "value_error" };
        Self::at(&detail.field, detail.message.clone(), kind)
    }

    fn at(field: &str, msg: String, kind: &'static str) -> Self {
        Self { loc: location(field), msg, kind }
    }
}

/// `questions[0].criteria` as `["body", "questions", 0, "criteria"]`.
fn location(field: &str) -> Vec<LocationStep> {
    let place = if field == "Idempotency-Key" { "header" } else { "body" };
    let mut steps = vec![LocationStep::Name(place.to_owned())];
    for part in field.split('.') {
        let mut names = part.split(['[', ']']).filter(|name| !name.is_empty() && *name != "body");
        // What follows a dot is a name, even if it is a number.
        steps.extend(names.next().map(|name| LocationStep::Name(name.to_owned())));
        steps.extend(names.map(LocationStep::of_bracket));
    }
    steps
}

impl LocationStep {
    fn of_bracket(inside: &str) -> Self {
        inside.parse().map_or_else(|_| Self::Name(inside.to_owned()), Self::Index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_located_step_by_step() {
        for (field, expected) in [
            ("state", json!(["body", "state"])),
            ("body", json!(["body"])),
            ("questions[3].criteria", json!(["body", "questions", 3, "criteria"])),
            ("questions.tone.criteria[0]", json!(["body", "questions", "tone", "criteria", 0])),
            ("questions.0.criteria[12][1]", json!(["body", "questions", "0", "criteria", 12, 1])),
            ("Idempotency-Key", json!(["header", "Idempotency-Key"])),
        ] {
            assert_eq!(serde_json::to_value(location(field)).unwrap(), expected, "{field}");
        }
    }
}
