//! The response to a paid request, the first time or as a replay.

use axum::{
    http::HeaderName,
    response::{IntoResponse, Response},
};

/// The header of a response that repeats an earlier one.
pub(crate) const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The body of a replay is the same to the byte; a header marks it.
pub(crate) fn paid_response(replayed: bool, body: impl IntoResponse) -> Response {
    let replayed = replayed.then_some([(IDEMPOTENT_REPLAYED, "true")]);
    (replayed, body).into_response()
}
