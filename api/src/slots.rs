//! Concurrency limits for work that holds much memory: a number of slots in all, and a smaller number for each account, so that
//! one account cannot take them from all others.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{Code, Error, Result, id::AccountId};
use tokio::time::Instant;

/// The longest that a request waits for a slot.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a waiting request looks for a free slot.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The slots of one kind of work. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AccountSlots {
    work: &'static str,
    total: usize,
    per_account: usize,
    in_use: Arc<Mutex<HashMap<AccountId, usize>>>,
}

impl AccountSlots {
    /// `total` slots, of which one account has `per_account` at most. `work` is a plural for the error's message.
    pub(crate) fn new(work: &'static str, total: usize, per_account: usize) -> Self {
        Self { work, total, per_account, in_use: Arc::default() }
    }

    /// Waits for a slot.
    ///
    /// # Errors
    /// `OVERLOADED` when none was free within 5 s.
    pub(crate) async fn acquire(&self, account: &AccountId) -> Result<SlotPermit> {
        let deadline = Instant::now() + ACQUIRE_TIMEOUT;
        loop {
            match self.try_acquire(account) {
                Some(permit) => return Ok(permit),
                None if Instant::now() < deadline => tokio::time::sleep(POLL_INTERVAL).await,
                None => {
                    let message = format!("too many {} at once; try again shortly", self.work);
                    return Err(Error::new(Code::Overloaded, message));
                }
            }
        }
    }

    /// Takes a slot if one is free now.
    pub(crate) fn try_acquire(&self, account: &AccountId) -> Option<SlotPermit> {
        let mut in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        let own = in_use.get(account).copied().unwrap_or_default();
        if own >= self.per_account || in_use.values().sum::<usize>() >= self.total {
            return None;
        }
        in_use.insert(account.clone(), own + 1);
        Some(SlotPermit { slots: self.clone(), account: account.clone() })
    }
}

/// A slot in use; dropping it frees the slot.
pub(crate) struct SlotPermit {
    slots: AccountSlots,
    account: AccountId,
}

impl Drop for SlotPermit {
    fn drop(&mut self) {
        let mut in_use = self.slots.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        match in_use.get_mut(&self.account) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(in_use.remove(&self.account)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_account_leaves_slots_for_others_and_dropped_permits_free_them() {
        let slots = AccountSlots::new("tests", 3, 2);
        let (one, other, third) = (AccountId::new(), AccountId::new(), AccountId::new());
        let first = slots.try_acquire(&one).unwrap();
        let _second = slots.try_acquire(&one).unwrap();
        assert!(slots.try_acquire(&one).is_none());
        let _of_other = slots.try_acquire(&other).unwrap();
        assert!(slots.try_acquire(&third).is_none());
        drop(first);
        let _of_third = slots.try_acquire(&third).unwrap();
    }
}
