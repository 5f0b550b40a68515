//! Random secrets that stand for something: a session's cookie, an invitation. Shown once; the database has their SHA-256.

use std::fmt;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::RngCore;
use sha2::{Digest, Sha256};

/// 256 random bits as 43 characters that need no escaping. Printed only by [`Token::reveal`].
pub struct Token(String);

impl Token {
    /// Makes a new one.
    pub(crate) fn generate() -> Self {
        let mut bytes = [0; 32];
        rand::rng().fill_bytes(&mut bytes);
        Self(BASE64_URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The secret itself, for whom it is meant.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> String {
        hash(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// What the database knows a secret by: hex SHA-256. No slow hash is needed, since nobody guesses 256 bits.
pub(crate) fn hash(secret: &str) -> String {
    format!("{:x}", Sha256::digest(secret))
}
