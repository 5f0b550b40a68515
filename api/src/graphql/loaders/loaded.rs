//! The results of loaders, as results of fields.

use std::sync::Arc;

use domain::Error;

/// A loaded row that must exist.
pub(crate) fn loaded<V>(found: Result<Option<V>, Arc<Error>>) -> domain::Result<V> {
    found.map_err(batch_error)?.ok_or_else(|| Error::internal("what a row refers to is not there"))
}

/// A loaded row, or `NOT_FOUND` naming what it is.
pub(crate) fn found<V>(found: Result<Option<V>, Arc<Error>>, noun: &str) -> domain::Result<V> {
    found.map_err(batch_error)?.ok_or_else(|| Error::not_found(noun))
}

/// The error of a whole batch, as the error of one field. Its cause is logged.
pub(crate) fn batch_error(error: Arc<Error>) -> Error {
    if let Some(cause) = &error.cause {
        tracing::error!(code = error.code.as_str(), cause, "a batch of rows could not be read");
    }
    Error::new(error.code, error.message.clone())
}
