//! Limits password attempts to five in 15 minutes per e-mail address, whether or not the address exists. Counted in the
//! memory of each process; a restart resets the counts.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{Code, Error, Result};

/// Maximum failed attempts per address within [`WINDOW`].
const MAX_ATTEMPTS: u32 = 5;
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// How often expired counts are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// Counts attempts. The number of addresses stored is bounded by the number of passwords that can be verified within
/// [`WINDOW`].
pub(super) struct Throttle(Mutex<Counts>);

struct Counts {
    by_address: HashMap<String, Attempts>,
    swept: Instant,
}

struct Attempts {
    since: Instant,
    count: u32,
}

impl Default for Throttle {
    fn default() -> Self {
        Self(Mutex::new(Counts { by_address: HashMap::new(), swept: Instant::now() }))
    }
}

impl Throttle {
    /// Counts an attempt before it is made, so that concurrent attempts cannot evade the limit.
    ///
    /// # Errors
    /// `RATE_LIMITED`, with the minutes to wait in the message.
    pub(super) fn count_attempt(&self, address: &str) -> Result<()> {
        self.count_attempt_at(address, Instant::now())
    }

    /// Resets the count of an address after a correct password.
    pub(super) fn reset(&self, address: &str) {
        self.lock().by_address.remove(address);
    }

    fn count_attempt_at(&self, address: &str, now: Instant) -> Result<()> {
        let mut all = self.lock();
        if now.duration_since(all.swept) >= SWEEP_INTERVAL {
            all.by_address.retain(|_, attempts| now.duration_since(attempts.since) < WINDOW);
            all.swept = now;
        }
        let attempts = all.by_address.entry(address.to_owned()).or_insert(Attempts { since: now, count: 0 });
        if now.duration_since(attempts.since) >= WINDOW {
            *attempts = Attempts { since: now, count: 0 };
        }
        if attempts.count >= MAX_ATTEMPTS {
            let wait =
                WINDOW.saturating_sub(now.duration_since(attempts.since)).as_secs().div_ceil(60).max(1);
            let message = format!("too many wrong passwords for this address; try again in {wait} min");
            return Err(Error::new(Code::RateLimited, message));
        }
        attempts.count += 1;
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_tries_in_a_quarter_of_an_hour_for_each_address() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        for _ in 0..MAX_ATTEMPTS {
            throttle.count_attempt_at("a@example.test", start).unwrap();
        }
        let refused =
            throttle.count_attempt_at("a@example.test", start + Duration::from_secs(61)).unwrap_err();
        assert_eq!((refused.code, refused.message.ends_with("in 14 min")), (Code::RateLimited, true));
        throttle.count_attempt_at("b@example.test", start).unwrap();
        throttle.count_attempt_at("a@example.test", start + WINDOW).unwrap();
    }

    #[test]
    fn a_right_password_forgives_the_wrong_ones() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        for _ in 0..3 {
            for _ in 0..MAX_ATTEMPTS {
                throttle.count_attempt_at("a@example.test", start).unwrap();
            }
            throttle.reset("a@example.test");
        }
    }
}
