//! The error of a handler, which the renderer turns into a body.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use domain::Error;
use ports::id::NotFound;

use super::status::status;

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
