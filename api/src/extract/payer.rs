//! The payer of a request: the program or person that access control identified, with the request's id and
//! `Idempotency-Key`.

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, request::Parts},
};
use domain::{
    Result,
    money::{
        billing::{FinishFlag, Payment},
        idempotency::IdempotencyKey,
    },
};
use ports::id::{PolicyId, RequestId};
use serde::Serialize;

use super::extension::extension;
use crate::{error::Failure, identity::Identity};

/// The payer of a request. Only for routes behind [`crate::access::authorize`].
pub(crate) struct RequestPayer {
    identity: Identity,
    request_id: RequestId,
    finish: FinishFlag,
    idempotency_key: Option<String>,
}

impl RequestPayer {
    /// The moderation policy for the key's requests that name none.
    pub(crate) fn default_policy(&self) -> Option<PolicyId> {
        self.identity.default_policy()
    }

    /// The payment for `request` on the route `endpoint`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an `Idempotency-Key` of the wrong form.
    pub(crate) fn payment(self, endpoint: &'static str, request: &impl Serialize) -> Result<Payment> {
        let key = self.idempotency_key.as_deref();
        Ok(Payment {
            account: self.identity.account().clone(),
            payer: self.identity.payer(),
            backends: self.identity.backends(),
            judge: None,
            endpoint,
            items: 1,
            request_id: self.request_id,
            at: None,
            finish: self.finish,
            idempotency: key.map(|key| IdempotencyKey::new(key, endpoint, request)).transpose()?,
        })
    }
}

impl<S: Sync> FromRequestParts<S> for RequestPayer {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        Ok(Self {
            identity: extension(parts)?,
            request_id: extension(parts)?,
            finish: extension(parts)?,
            idempotency_key: idempotency_key(&parts.headers),
        })
    }
}

/// The header's value. One that is not text becomes the empty string, which validation rejects.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Option<String> {
    let value = headers.get("idempotency-key")?;
    Some(value.to_str().unwrap_or_default().to_owned())
}
