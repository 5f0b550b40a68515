//! Values that middleware puts into a request's extensions.

use axum::http::{Extensions, request::Parts};
use domain::Error;

use crate::error::Failure;

/// The value of type `T`.
///
/// # Errors
/// `INTERNAL_ERROR` on a route without the middleware.
pub(super) fn extension<T: Clone + Send + Sync + 'static>(parts: &Parts) -> Result<T, Failure> {
    extension_of(&parts.extensions)
}

/// The value of type `T` among extensions, as [`extension`].
pub(super) fn extension_of<T: Clone + Send + Sync + 'static>(extensions: &Extensions) -> Result<T, Failure> {
    let value = extensions.get::<T>().cloned();
    value.ok_or_else(|| Failure(Error::internal("this route is not behind access control")))
}
