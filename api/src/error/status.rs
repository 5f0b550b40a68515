//! The HTTP status of each error code.

use axum::http::StatusCode;
use domain::Code;

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
