//! Random secret tokens, for session cookies and invitations. A token is shown once; the database stores its SHA-256.

use std::fmt;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::RngCore;
use sha2::{Digest, Sha256};

/// 256 random bits as 43 URL-safe characters. `Debug` hides it; only [`Token::reveal`] returns it.
pub struct Token(String);

impl Token {
    /// Generates a token.
    pub(crate) fn generate() -> Self {
        let mut bytes = [0; 32];
        rand::rng().fill_bytes(&mut bytes);
        Self(BASE64_URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The token in plain text, for its recipient.
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

/// The hex SHA-256 by which the database stores a token. 256 random bits cannot be guessed, so no slow hash is needed.
pub(crate) fn hash(secret: &str) -> String {
    format!("{:x}", Sha256::digest(secret))
}
