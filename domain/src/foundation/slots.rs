//! Semaphores with a limit per key, such as an account or a network: a total number of permits, and a smaller number
//! for each key, so that one key cannot take all of them. Waiters are served in order; at most a key's share of waiters
//! is in the common queue, and its further waiters queue behind those.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The permits of one kind of work. Cheap to clone.
pub struct Slots<K> {
    total: Arc<Semaphore>,
    per_key: usize,
    /// The semaphores of keys; unused ones are dropped before the map grows.
    by_key: Arc<Mutex<HashMap<K, Arc<Semaphore>>>>,
    /// Those who wait although their key has permits left.
    waiting: Arc<AtomicUsize>,
}

/// Permits in use; dropping this frees them.
#[derive(Debug)]
pub struct SlotPermit {
    _of_key: OwnedSemaphorePermit,
    _of_total: OwnedSemaphorePermit,
}

impl<K> std::fmt::Debug for Slots<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slots")
            .field("total", &self.total)
            .field("per_key", &self.per_key)
            .finish_non_exhaustive()
    }
}

impl<K> Clone for Slots<K> {
    fn clone(&self) -> Self {
        Self {
            total: self.total.clone(),
            per_key: self.per_key,
            by_key: self.by_key.clone(),
            waiting: self.waiting.clone(),
        }
    }
}

impl<K: Clone + Eq + Hash> Slots<K> {
    /// `total` permits, at most `per_key` of them for one key.
    pub fn new(total: usize, per_key: usize) -> Self {
        Self {
            total: Arc::new(Semaphore::new(total)),
            per_key,
            by_key: Arc::default(),
            waiting: Arc::default(),
        }
    }

    /// Waits for `permits` without a timeout. Drop the future to stop waiting.
    pub async fn acquire(&self, key: &K, permits: u32) -> SlotPermit {
        const OPEN: &str = "the semaphores are never closed";
        let of_key = self.semaphore(key);
        let total = self.total.clone();
        let of_key = of_key.acquire_many_owned(permits).await.expect(OPEN);
        let _waiting = Waiting::begin(&self.waiting);
        SlotPermit { _of_key: of_key, _of_total: total.acquire_many_owned(permits).await.expect(OPEN) }
    }

    /// Whether somebody within their own share waits, only because all permits are taken.
    pub fn others_wait(&self) -> bool {
        self.total.available_permits() == 0 && self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Takes `permits` if they are free now.
    pub fn try_acquire(&self, key: &K, permits: u32) -> Option<SlotPermit> {
        let of_key = self.semaphore(key).try_acquire_many_owned(permits).ok()?;
        let of_total = self.total.clone().try_acquire_many_owned(permits).ok()?;
        Some(SlotPermit { _of_key: of_key, _of_total: of_total })
    }

    fn semaphore(&self, key: &K) -> Arc<Semaphore> {
        let mut by_key = self.by_key.lock();
        if let Some(known) = by_key.get(key) {
            return known.clone();
        }
        if by_key.len() == by_key.capacity() {
            by_key.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        by_key.entry(key.clone()).or_insert_with(|| Arc::new(Semaphore::new(self.per_key))).clone()
    }
}

/// Counts among those who wait until it is dropped.
struct Waiting(Arc<AtomicUsize>);

impl Waiting {
    fn begin(waiting: &Arc<AtomicUsize>) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting.clone())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    async fn soon(slots: &Slots<i32>, key: i32) -> Option<SlotPermit> {
        tokio::time::timeout(SOON, slots.acquire(&key, 1)).await.ok()
    }

    #[tokio::test]
    async fn one_key_leaves_permits_for_others_and_dropped_ones_are_free() {
        let slots = Slots::new(3, 2);
        let first = slots.try_acquire(&1, 1).unwrap();
        let _second = soon(&slots, 1).await.unwrap();
        assert!(slots.try_acquire(&1, 1).is_none() && soon(&slots, 1).await.is_none());
        let _of_other = slots.try_acquire(&2, 1).unwrap();
        assert!(slots.try_acquire(&3, 1).is_none() && soon(&slots, 3).await.is_none());
        drop(first);
        let _of_third = soon(&slots, 3).await.unwrap();
    }

    #[tokio::test]
    async fn others_wait_while_their_own_key_has_permits() {
        let slots = Slots::new(2, 1);
        let _one = slots.try_acquire(&1, 1).unwrap();
        let other = slots.try_acquire(&2, 1).unwrap();
        let own = waiter(&slots, 1);
        tokio::time::sleep(SOON).await;
        assert!(!slots.others_wait(), "it waits for its own key's permit");
        let third = waiter(&slots, 3);
        tokio::time::sleep(SOON).await;
        assert!(slots.others_wait());
        drop(other);
        let _third = third.await.unwrap();
        assert!(!slots.others_wait());
        own.abort();
    }

    #[tokio::test]
    async fn many_waiters_of_one_key_are_not_ahead_of_another_key() {
        let slots = Slots::new(1, 1);
        let held = slots.try_acquire(&0, 1).unwrap();
        let mut crowd: Vec<_> = (0..50).map(|_| waiter(&slots, 1)).collect();
        tokio::time::sleep(SOON).await;
        let other = waiter(&slots, 2);
        tokio::time::sleep(SOON).await;
        drop(held);
        // One of the crowd was in the queue first; the other key is next.
        drop(crowd.remove(0).await.unwrap());
        tokio::time::timeout(Duration::from_secs(1), other).await.unwrap().unwrap();
    }

    fn waiter(slots: &Slots<i32>, key: i32) -> tokio::task::JoinHandle<SlotPermit> {
        let slots = slots.clone();
        tokio::spawn(async move { slots.acquire(&key, 1).await })
    }

    #[test]
    fn unused_keys_are_dropped() {
        let slots = Slots::new(1, 1);
        for key in 0..10_000 {
            drop(slots.try_acquire(&key, 1));
        }
        assert!(slots.by_key.lock().len() < 100);
    }
}
