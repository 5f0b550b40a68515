//! Repeats a transaction that the database has refused: another one was in its way, or the database was away for a moment.

use std::time::Duration;

use crate::{Code, Result};

/// How often a transaction is tried.
const ATTEMPTS: u32 = 4;
/// The pause after the first failure; each further one is longer by as much.
const PAUSE: Duration = Duration::from_millis(250);

/// Runs `work` until it succeeds or is refused for good, a few times at most.
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
                    "a transaction of a job was refused; it is tried again"
                );
                tokio::time::sleep(PAUSE * attempt).await;
                attempt += 1;
            }
            done => return done,
        }
    }
}
