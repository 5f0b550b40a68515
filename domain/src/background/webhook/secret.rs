//! Signing secrets and signatures (HMAC-SHA256) of Standard Webhooks.

use std::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, Mac};
use rand::RngCore;
use sha2::Sha256;

use crate::{Error, Result};

const PREFIX: &str = "whsec_";
const KEY_BYTES: usize = 32;

/// The secret that signs what is sent to an endpoint: `whsec_` and the base64 of 32 random bytes. `Debug` hides it;
/// only [`SigningSecret::reveal`] returns it.
#[derive(Clone)]
pub struct SigningSecret(String);

impl SigningSecret {
    pub(super) fn generate() -> Self {
        let mut key = [0; KEY_BYTES];
        rand::rng().fill_bytes(&mut key);
        Self(format!("{PREFIX}{}", BASE64_STANDARD.encode(key)))
    }

    /// Takes a secret from the database.
    pub(super) fn stored(secret: String) -> Self {
        Self(secret)
    }

    /// The secret in plain text, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The signature of a message, `v1,` and base64. `timestamp` is in seconds since 1970.
    pub(super) fn sign(&self, id: &str, timestamp: i64, body: &str) -> Result<String> {
        let key = self.0.strip_prefix(PREFIX).and_then(|key| BASE64_STANDARD.decode(key).ok());
        let key = key.ok_or_else(|| Error::internal("a webhook's secret is not readable"))?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(Error::internal)?;
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        Ok(format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes())))
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("whsec_…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vector of the reference implementations of Standard Webhooks.
    #[test]
    fn a_signature_is_that_of_the_reference_implementations() {
        let secret = SigningSecret::stored("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signature.unwrap(), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_new_secret_has_the_documented_form() {
        let secret = SigningSecret::generate();
        let key = BASE64_STANDARD.decode(secret.reveal().strip_prefix("whsec_").unwrap()).unwrap();
        assert_eq!(key.len(), 32);
        assert!(!format!("{secret:?}").contains(&secret.reveal()[6..]));
    }
}
