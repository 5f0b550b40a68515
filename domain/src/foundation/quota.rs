//! Quotas in the memory of this process: so many of something for each key and period.

use std::{
    collections::HashMap,
    hash::Hash,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

/// A quota for each key. All periods begin together.
pub(crate) struct Quota<K> {
    period: Duration,
    /// The most of a key in a period.
    most: u32,
    taken: Mutex<Taken<K>>,
}

/// What was taken in the current period.
struct Taken<K> {
    since: Instant,
    counts: HashMap<K, u32>,
}

impl<K: Clone + Eq + Hash> Quota<K> {
    pub(crate) fn new(period: Duration, most: u32) -> Self {
        let taken = Taken { since: Instant::now(), counts: HashMap::new() };
        Self { period, most, taken: Mutex::new(taken) }
    }

    /// Takes one of a key's quota. Returns false when it is used up.
    pub(crate) fn take(&self, key: &K) -> bool {
        self.take_at(key, Instant::now())
    }

    fn take_at(&self, key: &K, now: Instant) -> bool {
        let mut taken = self.taken.lock();
        if now.duration_since(taken.since) >= self.period {
            *taken = Taken { since: now, counts: HashMap::new() };
        }
        let count = taken.counts.entry(key.clone()).or_default();
        if *count >= self.most {
            return false;
        }
        *count += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_its_own_quota_in_each_period() {
        let period = Duration::from_secs(60);
        let quota = Quota::new(period, 2);
        let start = Instant::now();
        let taken = ["a", "a", "a", "b"].map(|key| quota.take_at(&key, start));
        assert_eq!(taken, [true, true, false, true]);
        assert!(quota.take_at(&"a", start + 2 * period));
    }
}
