//! A client's `Idempotency-Key` with what it stands for.

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{Error, Result, foundation::canonical_json::canonical};

/// A client's key and a fingerprint of its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub(super) key: String,
    pub(super) fingerprint: String,
}

impl IdempotencyKey {
    /// Creates a key from the header's value, the route, and the request as parsed (not its bytes), in which the order
    /// of members does not matter.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` unless the key is 1 to 255 visible ASCII characters.
    pub fn new(key: &str, route: &str, request: &impl Serialize) -> Result<Self> {
        if !(1..=255).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = "must be 1 to 255 visible ASCII characters without spaces";
            return Err(Error::invalid("Idempotency-Key", message));
        }
        let mut digest = Sha256::new();
        digest.update(route);
        digest.update([0]);
        let request = serde_json::to_value(request).map_err(Error::internal)?;
        digest.update(canonical(&request).to_string());
        Ok(Self { key: key.to_owned(), fingerprint: format!("{:x}", digest.finalize()) })
    }

    /// The same for repetitions of a request, and for no other request of the account.
    pub(crate) fn identity(&self) -> String {
        format!("{}:{}", self.key, self.fingerprint)
    }
}
