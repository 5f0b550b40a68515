//! The response to a paid request, the first time or as a replay.

use axum::{
    http::HeaderName,
    response::{IntoResponse, Response},
};

/// The body of a replay is the same to the byte; a header marks it.
pub(crate) fn paid_response(replayed: bool, body: impl IntoResponse) -> Response {
    let replayed = replayed.then_some([(HeaderName::from_static("idempotent-replayed"), "true")]);
    (replayed, body).into_response()
}
