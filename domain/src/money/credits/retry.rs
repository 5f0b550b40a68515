//! How commits are retried.

use std::time::Duration;

/// How long a commit of charges or holds is retried while the database does not answer.
pub(super) const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// The pause before a retry.
pub(super) const COMMIT_RETRY: Duration = Duration::from_millis(50);
