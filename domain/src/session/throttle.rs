//! How often a password may be tried: five times in a quarter of an hour for each address, whether or not anybody has it.
//! Counted in the memory of each process; a restart forgets.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{Code, Error, Result};

/// Wrong tries for one address within [`WINDOW`].
const TRIES: u32 = 5;
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// Addresses remembered before those whose time is up are swept out.
const REMEMBERED: usize = 10_000;

/// Counts tries.
#[derive(Default)]
pub(super) struct Throttle(Mutex<HashMap<String, Tries>>);

struct Tries {
    since: Instant,
    count: u32,
}

impl Throttle {
    /// Counts a try before it is made, so that many at once are no way round.
    ///
    /// # Errors
    /// `RATE_LIMITED`, saying when to come back.
    pub(super) fn take(&self, address: &str) -> Result<()> {
        self.take_at(address, Instant::now())
    }

    /// Forgets an address: its password was right.
    pub(super) fn forgive(&self, address: &str) {
        self.lock().remove(address);
    }

    fn take_at(&self, address: &str, now: Instant) -> Result<()> {
        let mut all = self.lock();
        if all.len() >= REMEMBERED {
            all.retain(|_, tries| now.duration_since(tries.since) < WINDOW);
        }
        let tries = all.entry(address.to_owned()).or_insert(Tries { since: now, count: 0 });
        if now.duration_since(tries.since) >= WINDOW {
            *tries = Tries { since: now, count: 0 };
        }
        if tries.count >= TRIES {
            let wait = WINDOW.saturating_sub(now.duration_since(tries.since)).as_secs().div_ceil(60).max(1);
            let message = format!("too many wrong passwords for this address; try again in {wait} min");
            return Err(Error::new(Code::RateLimited, message));
        }
        tries.count += 1;
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Tries>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_tries_in_a_quarter_of_an_hour_for_each_address() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        for _ in 0..TRIES {
            throttle.take_at("a@example.test", start).unwrap();
        }
        let refused = throttle.take_at("a@example.test", start + Duration::from_secs(61)).unwrap_err();
        assert_eq!((refused.code, refused.message.ends_with("in 14 min")), (Code::RateLimited, true));
        throttle.take_at("b@example.test", start).unwrap();
        throttle.take_at("a@example.test", start + WINDOW).unwrap();
    }

    #[test]
    fn a_right_password_forgives_the_wrong_ones() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        for _ in 0..3 {
            for _ in 0..TRIES {
                throttle.take_at("a@example.test", start).unwrap();
            }
            throttle.forgive("a@example.test");
        }
    }
}
