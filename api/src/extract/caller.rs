//! Who asks: the identity that access control found, the request's id, and an `Idempotency-Key` when one was sent.

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, request::Parts},
};
use domain::{
    Error, Result,
    api_key::VerifiedKey,
    billing::{FinishFlag, Payment},
    credits::Payer,
    id::RequestId,
    idempotency::IdempotencyKey,
};
use serde::Serialize;

use crate::error::Failure;

/// Who asks. Only for routes behind [`crate::access::admit`].
pub(crate) struct Asker {
    key: VerifiedKey,
    request_id: RequestId,
    finish: FinishFlag,
    idempotency_key: Option<String>,
}

impl Asker {
    /// Who pays for `request` on the route `endpoint`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an `Idempotency-Key` of the wrong form.
    pub(crate) fn paying(self, endpoint: &'static str, request: &impl Serialize) -> Result<Payment> {
        let key = self.idempotency_key.as_deref();
        Ok(Payment {
            account: self.key.account,
            payer: Payer::Key(self.key.id),
            endpoint,
            request_id: self.request_id,
            finish: self.finish,
            idempotency: key.map(|key| IdempotencyKey::new(key, endpoint, request)).transpose()?,
        })
    }
}

impl<S: Sync> FromRequestParts<S> for Asker {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let unguarded = || Failure(Error::internal("this route is not behind access control"));
        Ok(Self {
            key: parts.extensions.get::<VerifiedKey>().cloned().ok_or_else(unguarded)?,
            request_id: parts.extensions.get::<RequestId>().cloned().ok_or_else(unguarded)?,
            finish: parts.extensions.get::<FinishFlag>().cloned().ok_or_else(unguarded)?,
            idempotency_key: idempotency_key(&parts.headers),
        })
    }
}

/// The header's value; what is not text becomes a value that no check lets through.
fn idempotency_key(headers: &HeaderMap) -> Option<String> {
    let value = headers.get("idempotency-key")?;
    Some(value.to_str().unwrap_or_default().to_owned())
}
