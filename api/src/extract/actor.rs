//! Who manages over REST: the key that access control let in, as an actor.

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::{Error, Result, actor::Actor, api_key::VerifiedKey};

use crate::error::Failure;

/// Who manages. Only for routes behind [`crate::access::admit`].
pub(crate) struct Manager(pub(crate) Actor);

impl<S: Sync> FromRequestParts<S> for Manager {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let unguarded = || Failure(Error::internal("this route is not behind access control"));
        let key = parts.extensions.get::<VerifiedKey>().ok_or_else(unguarded)?;
        Ok(Self(key.actor()?))
    }
}
