//! The format of an API key: random characters with a checksum that detects typos.

use std::fmt;

use rand::Rng;
use sha2::{Digest, Sha256};

const PREFIX: &str = "svc_live_";
const RANDOM_CHARS: usize = 30;
const CHECKSUM_CHARS: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// An API key's secret. `Debug` hides it; only [`KeySecret::reveal`] returns it.
pub struct KeySecret(String);

impl KeySecret {
    /// Generates a secret: `svc_live_`, 30 random base62 characters, and 6 base62 characters of the CRC-32 of
    /// everything before them.
    pub fn generate() -> Self {
        let mut rng = rand::rng();
        let mut key = String::from(PREFIX);
        key.extend((0..RANDOM_CHARS).map(|_| char::from(BASE62[rng.random_range(0..BASE62.len())])));
        let checksum = checksum(&key);
        key.push_str(&checksum);
        Self(key)
    }

    /// Parses a secret and verifies its checksum, so that a typo costs no database query.
    pub fn parse(text: &str) -> Option<Self> {
        let random = text.strip_prefix(PREFIX)?;
        let well_formed = random.len() == RANDOM_CHARS + CHECKSUM_CHARS
            && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let (body, sum) = text.split_at_checked(text.len().checked_sub(CHECKSUM_CHARS)?)?;
        (well_formed && checksum(body) == sum).then(|| Self(text.to_owned()))
    }

    /// The secret in plain text, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The first characters, by which a user can tell keys apart.
    pub(super) fn hint(&self) -> &str {
        &self.0[..PREFIX.len() + 4]
    }

    pub(super) fn hash(&self) -> String {
        format!("{:x}", Sha256::digest(&self.0))
    }
}

impl fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("svc_live_…")
    }
}

/// CRC-32 (IEEE) as six base62 digits, most significant first.
fn checksum(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = [b'0'; CHECKSUM_CHARS];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[rest % BASE62.len()];
        rest /= BASE62.len();
    }
    digits.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_new_key_has_the_documented_form() {
        let key = KeySecret::generate();
        assert!(key.reveal().starts_with("svc_live_"));
        assert_eq!(key.reveal().len(), 45);
        assert!(KeySecret::parse(key.reveal()).is_some());
        assert!(!format!("{key:?}").contains(&key.reveal()[9..]));
    }

    proptest! {
        #[test]
        fn one_wrong_character_is_noticed(place in 9..45usize, other in "[0-9A-Za-z]") {
            let key = KeySecret::generate();
            let mut typo = key.reveal().to_owned();
            typo.replace_range(place..=place, &other);
            prop_assert_eq!(KeySecret::parse(&typo).is_some(), typo == key.reveal());
        }

        #[test]
        fn any_text_is_refused(text in "\\PC{0,60}") {
            prop_assert!(KeySecret::parse(&text).is_none());
        }
    }
}
