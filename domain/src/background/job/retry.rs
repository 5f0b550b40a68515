//! Retries a transaction that the database refused: it conflicted with another one, or the database was briefly away.

use std::time::Duration;

use crate::{Code, Result};

/// Maximum attempts of a transaction.
const ATTEMPTS: u32 = 4;
/// The pause after the first failure; each further pause is longer by as much.
const PAUSE: Duration = Duration::from_millis(250);

/// Runs `work` until it succeeds or is refused for good, at most [`ATTEMPTS`] times.
///
/// # Errors
/// The last one of `work`.
pub(crate) async fn retried<T, F: Future<Output = Result<T>>>(work: impl Fn() -> F) -> Result<T> {
    let mut attempt = 1;
    loop {
        match work().await {
            Err(error) if error.code == Code::InternalError && attempt < ATTEMPTS => {
                tracing::warn!(
                    cause = error.with_cause(),
                    attempt,
                    "a transaction of a job was refused; retrying"
                );
                tokio::time::sleep(PAUSE * attempt).await;
                attempt += 1;
            }
            done => return done,
        }
    }
}
