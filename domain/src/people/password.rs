//! Passwords: length rules, Argon2id hashing and random passwords. Hashing runs on blocking threads, a few at a time
//! and one for each network: each hash takes 19 MiB and most of a core. No password is stored.

use std::{sync::LazyLock, time::Duration};

use argon2::{
    Argon2, PasswordHasher,
    password_hash::{PasswordVerifier, phc::PasswordHash},
};
use rand::Rng;

use crate::{
    Code, Error, Result,
    foundation::{
        network::Network,
        slots::{SlotPermit, Slots},
        turns::{FairTurn, Turns},
    },
};
use ports::id::UserId;

/// Minimum characters of a password.
pub const MIN_CHARS: usize = 10;
/// Maximum bytes of a password.
const MAX_BYTES: usize = 1_024;
/// Passwords that this process hashes at the same time for strangers.
const STRANGERS_HASHES: usize = 2;
/// Strangers who may wait. Beyond that, one from the network with the most attempts is refused.
const STRANGERS_WAITING: usize = 32;
/// Further passwords that it hashes at the same time for known users, so that they never wait behind strangers.
const USERS_HASHES: usize = 1;
/// How long to wait for a permit.
const HASH_QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

static STRANGERS: LazyLock<Turns<Network>> =
    LazyLock::new(|| Turns::new(STRANGERS_HASHES, STRANGERS_WAITING));
static USERS: LazyLock<Slots<Requester>> = LazyLock::new(|| Slots::new(USERS_HASHES, 1));
/// The hash that a password is compared with when the user has none, so that it takes as long.
static DUMMY_HASH: LazyLock<String> =
    LazyLock::new(|| argon2id("nobody has this password").unwrap_or_default());

/// Generates a password of 20 random letters and digits without look-alikes.
pub fn random() -> String {
    const ALPHABET: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut rng = rand::rng();
    (0..20).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])).collect()
}

/// Who needs a password hashed. Each has one hashed at a time, so that a crowd in one network waits behind itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Requester {
    /// A stranger in this network.
    Network(Network),
    /// A user who is signed in, or has signed in before on the same device.
    User(UserId),
    /// The operator at the command line.
    Operator,
}

/// A permit to hash one password.
pub(crate) enum HashPermit {
    Stranger { _turn: FairTurn<Network> },
    User { _permit: SlotPermit },
}

/// Waits for a permit. Among strangers, a network that tried less lately goes first.
///
/// # Errors
/// `RATE_LIMITED` when none is free within [`HASH_QUEUE_TIMEOUT`], or when too many wait who go first.
pub(crate) async fn hash_permit(requester: &Requester) -> Result<HashPermit> {
    let permit = async {
        match requester {
            Requester::Network(network) => {
                STRANGERS.wait(*network).await.map(|turn| HashPermit::Stranger { _turn: turn })
            }
            Requester::User(_) | Requester::Operator => {
                Some(HashPermit::User { _permit: USERS.acquire(requester, 1).await })
            }
        }
    };
    tokio::time::timeout(HASH_QUEUE_TIMEOUT, permit).await.ok().flatten().ok_or_else(|| {
        let message = "too many people are signing in at once; try again in a few seconds";
        Error::new(Code::RateLimited, message)
    })
}

/// Takes back that a network's try counts, after a right password.
pub(crate) fn uncount(requester: &Requester) {
    if let Requester::Network(network) = requester {
        STRANGERS.uncount(network);
    }
}

/// Hashes a password with Argon2id and the library's recommended parameters (19 MiB, 2 passes), as a PHC string.
///
/// # Errors
/// `VALIDATION_FAILED`, naming `field`, for a password that is too short or too long; `RATE_LIMITED` as
/// [`hash_permit`].
pub(crate) async fn hash(field: &str, password: &str, requester: &Requester) -> Result<String> {
    require_length(field, password)?;
    let password = password.to_owned();
    hash_permit(requester).await?.work(move || argon2id(&password)).await?
}

/// Requires that a password is one that may be hashed.
///
/// # Errors
/// `VALIDATION_FAILED`, naming `field`, for one that is too short or too long.
pub(crate) fn require_length(field: &str, password: &str) -> Result<()> {
    if password.chars().count() < MIN_CHARS || password.len() > MAX_BYTES {
        let message = format!("must be at least {MIN_CHARS} characters long, and at most {MAX_BYTES} bytes");
        return Err(Error::invalid(field, message));
    }
    Ok(())
}

impl HashPermit {
    /// Verifies a password against a hash. Without a hash the result is false, after the same time.
    pub(crate) async fn verify(self, password: &str, hash: Option<String>) -> Result<bool> {
        if password.len() > MAX_BYTES {
            return Ok(false);
        }
        let password = password.to_owned();
        self.work(move || matches(&password, hash.as_deref())).await?
    }

    /// Runs `work` with the permit, which is kept until the work ends even when the caller was cancelled.
    async fn work<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let worked = tokio::task::spawn_blocking(move || {
            let _permit = self;
            work()
        });
        worked.await.map_err(Error::internal)
    }
}

fn matches(password: &str, hash: Option<&str>) -> Result<bool> {
    let dummy = LazyLock::force(&DUMMY_HASH);
    let parsed =
        PasswordHash::new(hash.unwrap_or(dummy)).map_err(|error| Error::internal(error.to_string()))?;
    Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && hash.is_some())
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
        let operator = &Requester::Operator;
        let hash = hash("password", "correct horse", operator).await.unwrap();
        assert!(hash.starts_with("$argon2id$") && !hash.contains("correct"));
        for (password, hash, right) in [
            ("correct horse", Some(hash.clone()), true),
            ("correct house", Some(hash), false),
            ("nobody has this password", None, false),
        ] {
            assert_eq!(hash_permit(operator).await.unwrap().verify(password, hash).await.unwrap(), right);
        }
    }

    #[tokio::test]
    async fn passwords_have_a_length() {
        for wrong in ["short", "ninechars", &"x".repeat(1_025)] {
            assert_eq!(hash("new", wrong, &Requester::Operator).await.unwrap_err().details[0].field, "new");
        }
        assert!(hash("new", "tenletters", &Requester::Operator).await.is_ok());
    }
}
