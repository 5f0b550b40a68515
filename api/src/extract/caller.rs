//! Who asks: the identity that access control found, the request's id, and an `Idempotency-Key` when one was sent.

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, request::Parts},
};
use domain::{
    Error, Result,
    api_key::Identity,
    id::RequestId,
    idempotency::IdempotencyKey,
    paid::{Caller, Fate},
};
use serde::Serialize;

use crate::error::Failure;

/// Who asks. Only for routes behind [`crate::access::admit`].
pub(crate) struct Asker {
    identity: Identity,
    request_id: RequestId,
    fate: Fate,
    idempotency_key: Option<String>,
}

impl Asker {
    /// Who pays for `request` on the route `endpoint`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an `Idempotency-Key` of the wrong form.
    pub(crate) fn paying(self, endpoint: &'static str, request: &impl Serialize) -> Result<Caller> {
        let key = self.idempotency_key.as_deref();
        Ok(Caller {
            account: self.identity.account,
            key: self.identity.key,
            endpoint,
            request_id: self.request_id,
            fate: self.fate,
            idempotency: key.map(|key| IdempotencyKey::new(key, endpoint, request)).transpose()?,
        })
    }
}

impl<S: Sync> FromRequestParts<S> for Asker {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let unguarded = || Failure(Error::internal("this route is not behind access control"));
        Ok(Self {
            identity: parts.extensions.get::<Identity>().cloned().ok_or_else(unguarded)?,
            request_id: parts.extensions.get::<RequestId>().cloned().ok_or_else(unguarded)?,
            fate: parts.extensions.get::<Fate>().cloned().ok_or_else(unguarded)?,
            idempotency_key: idempotency_key(&parts.headers),
        })
    }
}

/// The header's value; what is not text becomes a value that no check lets through.
fn idempotency_key(headers: &HeaderMap) -> Option<String> {
    let value = headers.get("idempotency-key")?;
    Some(value.to_str().unwrap_or_default().to_owned())
}
