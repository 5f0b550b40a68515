//! The actor of a management request over REST, as access control identified it.

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::{Result, foundation::actor::Actor};

use super::extension::extension;
use crate::{error::Failure, identity::Identity};

/// The actor of a request. Only for routes behind [`crate::access::authorize`].
///
/// Rejects a key with neither of the scopes `manage` and `read`.
pub(crate) struct AuthenticatedActor(pub(crate) Actor);

impl<S: Sync> FromRequestParts<S> for AuthenticatedActor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        Ok(Self(extension::<Identity>(parts)?.actor()?))
    }
}
