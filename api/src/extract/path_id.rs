//! The id in a path.

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
    response::{IntoResponse, Response},
};
use ports::id::NotFound;

use crate::error::Failure;

/// The only parameter of a path, an id of type `T`. What cannot be such an id is not found.
pub(crate) struct PathId<T>(pub(crate) T);

impl<T, S> FromRequestParts<S> for PathId<T>
where
    T: for<'a> TryFrom<&'a str, Error = NotFound>,
    S: Send + Sync,
{
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let Path(text) =
            Path::<String>::from_request_parts(parts, state).await.map_err(IntoResponse::into_response)?;
        let id = T::try_from(&text).map_err(|missing| Failure::from(missing).into_response())?;
        Ok(Self(id))
    }
}
