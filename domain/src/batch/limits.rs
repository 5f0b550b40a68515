//! How large batches may be, how long they live, and how their items are read and written.

use std::sync::Arc;

use chrono::TimeDelta;

use super::WireFormat;

/// What batches are composed of besides the other services.
#[derive(Clone)]
pub struct BatchSetup {
    pub limits: BatchLimits,
    pub wire: Arc<dyn WireFormat>,
}

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
