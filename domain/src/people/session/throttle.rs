//! Limits password attempts for each e-mail address, whether or not it exists: five in 15 minutes from one network, and
//! a hundred from all networks together. Devices on which its user signed in before have five of their own, so that
//! strangers can lock users out only of devices that they have not used. Counted in the memory of each process; a
//! restart resets it.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};

use crate::{Code, Error, Result, foundation::network::Network};

/// Maximum failed attempts for an address from one network, and from the known devices of its user, within [`WINDOW`].
const MAX_ATTEMPTS: u32 = 5;
/// Maximum failed attempts for an address from all networks within [`WINDOW`].
const MAX_ATTEMPTS_ANYWHERE: u32 = 100;
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// How often expired counts are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// Where an attempt comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// A device that is not known.
    Network(Network),
    /// A device on which the address's user signed in before, or a session.
    KnownDevice,
}

/// Counts attempts. The number of counts stored is bounded by the number of passwords that can be verified within
/// [`WINDOW`].
pub(super) struct Throttle {
    counts: Mutex<Counts>,
    /// What is counted, in the plural.
    what: &'static str,
}

struct Counts {
    /// By address and origin; without an origin, from all networks.
    attempts: HashMap<(String, Option<Origin>), Attempts>,
    swept: Instant,
}

struct Attempts {
    since: Instant,
    count: u32,
}

impl Throttle {
    /// Counts `what`, in the plural.
    pub(super) fn of(what: &'static str) -> Self {
        Self { counts: Mutex::new(Counts { attempts: HashMap::new(), swept: Instant::now() }), what }
    }

    /// Whether an attempt may be made now. Counts nothing.
    ///
    /// # Errors
    /// `RATE_LIMITED`, with the minutes to wait in the message.
    pub(super) fn check(&self, origin: &Origin, address: &str) -> Result<()> {
        self.lock().check(self.what, origin, address, Instant::now())
    }

    /// Counts an attempt before it is made, so that concurrent attempts cannot evade the limit.
    ///
    /// # Errors
    /// As [`Throttle::check`].
    pub(super) fn count_attempt(&self, origin: &Origin, address: &str) -> Result<()> {
        self.count_attempt_at(origin, address, Instant::now())
    }

    /// Forgets the attempts of an origin after a correct password.
    pub(super) fn forgive(&self, origin: &Origin, address: &str) {
        let mut all = self.lock();
        let forgiven = all.attempts.remove(&(address.to_owned(), Some(origin.clone())));
        if let Some(anywhere) = all.attempts.get_mut(&(address.to_owned(), None))
            && *origin != Origin::KnownDevice
        {
            anywhere.count = anywhere.count.saturating_sub(forgiven.map_or(0, |attempts| attempts.count));
        }
    }

    fn count_attempt_at(&self, origin: &Origin, address: &str, now: Instant) -> Result<()> {
        let mut all = self.lock();
        if now.duration_since(all.swept) >= SWEEP_INTERVAL {
            all.attempts.retain(|_, attempts| attempts.is_current(now));
            all.swept = now;
        }
        all.check(self.what, origin, address, now)?;
        for (key, _) in limits(origin, address) {
            let attempts = all.attempts.entry(key).or_insert(Attempts { since: now, count: 0 });
            if !attempts.is_current(now) {
                *attempts = Attempts { since: now, count: 0 };
            }
            attempts.count += 1;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock()
    }
}

impl Counts {
    fn check(&self, what: &str, origin: &Origin, address: &str, now: Instant) -> Result<()> {
        for (key, most) in limits(origin, address) {
            let attempts = self.attempts.get(&key).filter(|attempts| attempts.is_current(now));
            if let Some(attempts) = attempts.filter(|attempts| attempts.count >= most) {
                let left = WINDOW.saturating_sub(now.duration_since(attempts.since));
                let wait = left.as_secs().div_ceil(60).max(1);
                let message = format!("too many {what} for this address; try again in {wait} min");
                return Err(Error::new(Code::RateLimited, message));
            }
        }
        Ok(())
    }
}

impl Attempts {
    fn is_current(&self, now: Instant) -> bool {
        now.duration_since(self.since) < WINDOW
    }
}

/// The counts that an attempt adds to, with the most of each.
fn limits(origin: &Origin, address: &str) -> Vec<((String, Option<Origin>), u32)> {
    let own = ((address.to_owned(), Some(origin.clone())), MAX_ATTEMPTS);
    match origin {
        Origin::KnownDevice => vec![own],
        Origin::Network(_) => vec![own, ((address.to_owned(), None), MAX_ATTEMPTS_ANYWHERE)],
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    const ADDRESS: &str = "a@example.test";

    fn network(number: u32) -> Origin {
        Origin::Network(Network::from(IpAddr::V4(Ipv4Addr::from(number))))
    }

    #[test]
    fn five_tries_in_a_quarter_of_an_hour_for_each_address_and_network() {
        let throttle = Throttle::of("wrong passwords");
        let start = Instant::now();
        let here = &network(1);
        for _ in 0..MAX_ATTEMPTS {
            throttle.count_attempt_at(here, ADDRESS, start).unwrap();
        }
        let later = start + Duration::from_secs(61);
        let refused = throttle.count_attempt_at(here, ADDRESS, later).unwrap_err();
        assert_eq!((refused.code, refused.message.ends_with("in 14 min")), (Code::RateLimited, true));
        assert!(throttle.check(here, ADDRESS).is_err());
        throttle.count_attempt_at(here, "b@example.test", start).unwrap();
        throttle.count_attempt_at(&network(2), ADDRESS, start).unwrap();
        throttle.count_attempt_at(&Origin::KnownDevice, ADDRESS, start).unwrap();
        throttle.count_attempt_at(here, ADDRESS, start + WINDOW).unwrap();
    }

    #[test]
    fn many_networks_are_limited_too_and_known_devices_are_not() {
        let throttle = Throttle::of("wrong passwords");
        let start = Instant::now();
        for number in 0..MAX_ATTEMPTS_ANYWHERE {
            throttle.count_attempt_at(&network(number), ADDRESS, start).unwrap();
        }
        assert!(throttle.count_attempt_at(&network(5_000), ADDRESS, start).is_err());
        throttle.count_attempt_at(&Origin::KnownDevice, ADDRESS, start).unwrap();
    }

    #[test]
    fn a_right_password_forgives_the_wrong_ones() {
        let throttle = Throttle::of("wrong passwords");
        let start = Instant::now();
        let here = &network(1);
        for _ in 0..MAX_ATTEMPTS_ANYWHERE {
            for _ in 0..MAX_ATTEMPTS {
                throttle.count_attempt_at(here, ADDRESS, start).unwrap();
            }
            throttle.forgive(here, ADDRESS);
        }
    }
}
