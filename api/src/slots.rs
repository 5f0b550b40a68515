//! Concurrency limits of work that takes much memory or time: the domain's keyed semaphores, with an error when the
//! wait is too long.

use std::{hash::Hash, time::Duration};

use domain::{Code, Error, Result};
use ports::id::AccountId;

pub(crate) use domain::foundation::slots::SlotPermit;

/// The longest that a request waits for a permit.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// The permits of one kind of work. Cheap to clone.
#[derive(Clone)]
pub(crate) struct TimedSlots<K> {
    work: &'static str,
    slots: domain::foundation::slots::Slots<K>,
}

/// Permits with a share for each account.
pub(crate) type AccountSlots = TimedSlots<AccountId>;

impl<K: Clone + Eq + Hash> TimedSlots<K> {
    /// `total` permits, of which one key has `per_key` at most. `work` is a plural for the error's message.
    pub(crate) fn new(work: &'static str, total: usize, per_key: usize) -> Self {
        Self { work, slots: domain::foundation::slots::Slots::new(total, per_key) }
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// `OVERLOADED` when none was free within 5 s.
    pub(crate) async fn acquire(&self, key: &K) -> Result<SlotPermit> {
        self.acquire_many(key, 1).await
    }

    /// Waits for several permits.
    ///
    /// # Errors
    /// `OVERLOADED` when they were not free within 5 s.
    pub(crate) async fn acquire_many(&self, key: &K, permits: u32) -> Result<SlotPermit> {
        let permit = tokio::time::timeout(ACQUIRE_TIMEOUT, self.slots.acquire(key, permits)).await;
        permit.map_err(|_| {
            let message = format!("too many {} at once; try again shortly", self.work);
            Error::new(Code::Overloaded, message)
        })
    }

    /// Whether somebody within their own share waits, only because all permits are taken.
    pub(crate) fn others_wait(&self) -> bool {
        self.slots.others_wait()
    }

    /// Takes a permit if one is free now.
    pub(crate) fn try_acquire(&self, key: &K) -> Option<SlotPermit> {
        self.slots.try_acquire(key, 1)
    }

    /// Takes several permits if they are free now.
    pub(crate) fn try_acquire_many(&self, key: &K, permits: u32) -> Option<SlotPermit> {
        self.slots.try_acquire(key, permits)
    }
}
