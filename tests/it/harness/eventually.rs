//! Polls for a condition instead of sleeping for a guessed time.

use std::time::{Duration, Instant};

/// The timeout of any condition, on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Polls until there is a value and returns it; panics naming `what` at the timeout.
pub(crate) async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, look: impl FnMut() -> F) -> T {
    eventually_within(PATIENCE, what, look).await
}

/// Polls until there is a value and returns it; panics naming `what` after `timeout`.
pub(crate) async fn eventually_within<T, F: Future<Output = Option<T>>>(
    timeout: Duration,
    what: &str,
    mut look: impl FnMut() -> F,
) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(start.elapsed() < timeout, "never came true within {timeout:?}: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
