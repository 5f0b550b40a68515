//! The `Idempotency-Key` of a request that is not charged at once.

use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};
use domain::money::idempotency::{Idempotency, Once};

use super::{extension::extension, payer::idempotency_key};
use crate::error::Failure;

/// The request under its key, if it has one.
pub(crate) struct RequestOnce(pub(crate) Option<Once>);

impl<S> FromRequestParts<S> for RequestOnce
where
    S: Send + Sync,
    Idempotency: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let Some(key) = idempotency_key(&parts.headers) else { return Ok(Self(None)) };
        let request_id = extension(parts)?;
        let replayed = extension(parts)?;
        Ok(Self(Some(Once { idempotency: Idempotency::from_ref(state), key, request_id, replayed })))
    }
}
