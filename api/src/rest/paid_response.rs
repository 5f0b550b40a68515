//! How a paid answer is sent, the first time and again.

use axum::{
    http::HeaderName,
    response::{IntoResponse, Response},
};

/// A replayed answer is the same to the byte; a header tells it apart.
pub(crate) fn paid_response(replayed: bool, body: impl IntoResponse) -> Response {
    let replayed = replayed.then_some([(HeaderName::from_static("idempotent-replayed"), "true")]);
    (replayed, body).into_response()
}
