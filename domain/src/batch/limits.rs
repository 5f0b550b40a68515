//! How large batches may be, and how long they live.

use chrono::TimeDelta;

/// The limits of batches.
#[derive(Clone, Copy, Debug)]
pub struct BatchLimits {
    /// Items of a batch.
    pub items: usize,
    /// Batches of an account that have not ended.
    pub open: u64,
    /// Bytes of the items and results of an account's batches.
    pub account_bytes: i64,
    /// How long a batch may take from its submission; then it expires.
    pub expiry: TimeDelta,
}
