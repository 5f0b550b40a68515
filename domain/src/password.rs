//! Passwords: what one must be, Argon2id over them, and a password nobody has to think of. The work is done beside the async
//! threads, few at once: each takes 19 MiB and a good part of a core. Keeps no password.

use std::{sync::LazyLock, time::Duration};

use argon2::{
    Argon2, PasswordHasher,
    password_hash::{PasswordVerifier, phc::PasswordHash},
};
use rand::Rng;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{Code, Error, Result};

/// Fewest characters of a password.
pub const MIN_CHARS: usize = 10;
/// Most bytes of a password.
const MAX_BYTES: usize = 1_024;
/// Passwords that this process works on at once.
const CONCURRENT_HASHES: usize = 2;
/// How long one waits for its turn.
const HASH_QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

static HASH_PERMITS: Semaphore = Semaphore::const_new(CONCURRENT_HASHES);
/// What a password is held against where there is none, so that it takes as long.
static DUMMY_HASH: LazyLock<String> =
    LazyLock::new(|| argon2id("nobody has this password").unwrap_or_default());

/// A password nobody has to think of: 20 random letters and digits without look-alikes.
pub fn random() -> String {
    const ALPHABET: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut rng = rand::rng();
    (0..20).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])).collect()
}

/// The right to work on a password, which few have at once.
pub(crate) struct HashPermit {
    _permit: SemaphorePermit<'static>,
}

/// Waits for a turn.
///
/// # Errors
/// `RATE_LIMITED` when too many wait.
pub(crate) async fn hash_permit() -> Result<HashPermit> {
    let busy = |_| {
        let message = "too many people are signing in at once; try again in a few seconds";
        Error::new(Code::RateLimited, message)
    };
    let permit = tokio::time::timeout(HASH_QUEUE_TIMEOUT, HASH_PERMITS.acquire()).await.map_err(busy)?;
    permit.map(|permit| HashPermit { _permit: permit }).map_err(Error::internal)
}

/// Argon2id with the library's recommended parameters (19 MiB, 2 passes), as a PHC string.
///
/// # Errors
/// `VALIDATION_FAILED` naming `field` for one that is too short or too long; `RATE_LIMITED` as [`hash_permit`].
pub(crate) async fn hash(field: &str, password: &str) -> Result<String> {
    if password.chars().count() < MIN_CHARS || password.len() > MAX_BYTES {
        let message = format!("must be at least {MIN_CHARS} characters long, and at most {MAX_BYTES} bytes");
        return Err(Error::invalid(field, message));
    }
    let password = password.to_owned();
    hash_permit().await?.work(move || argon2id(&password)).await?
}

impl HashPermit {
    /// Whether a password is the one that was hashed. Without a hash it is not, which takes as long to say.
    pub(crate) async fn verify(self, password: &str, hash: Option<String>) -> Result<bool> {
        if password.len() > MAX_BYTES {
            return Ok(false);
        }
        let password = password.to_owned();
        let verify = move || {
            let dummy = LazyLock::force(&DUMMY_HASH);
            let parsed = PasswordHash::new(hash.as_ref().unwrap_or(dummy));
            let parsed = parsed.map_err(|error| Error::internal(error.to_string()))?;
            Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && hash.is_some())
        };
        self.work(verify).await?
    }

    /// The turn goes with the work, which goes on though nobody waits for it any more.
    async fn work<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let work = move || {
            let _permit = self;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(Error::internal)
    }
}

fn argon2id(password: &str) -> Result<String> {
    let hash = Argon2::default().hash_password(password.as_bytes());
    Ok(hash.map_err(|error| Error::internal(error.to_string()))?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_known_by_its_hash_alone() {
        let hash = hash("password", "correct horse").await.unwrap();
        assert!(hash.starts_with("$argon2id$") && !hash.contains("correct"));
        for (password, hash, right) in [
            ("correct horse", Some(hash.clone()), true),
            ("correct house", Some(hash), false),
            ("nobody has this password", None, false),
        ] {
            assert_eq!(hash_permit().await.unwrap().verify(password, hash).await.unwrap(), right);
        }
    }

    #[tokio::test]
    async fn passwords_have_a_length() {
        for wrong in ["short", "ninechars", &"x".repeat(1_025)] {
            assert_eq!(hash("new", wrong).await.unwrap_err().details[0].field, "new");
        }
        assert!(hash("new", "tenletters").await.is_ok());
    }
}
