//! Flows: whose turn it is in a fair queue.

use std::sync::atomic::{AtomicU64, Ordering};

/// The flow of a request, as in fair queueing: requests of one flow take turns with those of others, however many each
/// flow has. An account is a flow; a model sees only its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flow(pub u64);

/// Identifies the parts of one request that are queued separately, such as the states of a request with several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestGroup(u64);

impl RequestGroup {
    /// A group of its own.
    #[must_use]
    pub fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
