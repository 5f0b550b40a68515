//! Places for work that holds memory: a few in all, and so few for one account that it cannot take them from all others.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{Result, id::AccountId};
use tokio::time::Instant;

use super::crowded;

/// How long a request waits for a place.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it looks whether there is one.
const PAUSE: Duration = Duration::from_millis(50);

/// Some places. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Places {
    what: &'static str,
    all: usize,
    each: usize,
    taken: Arc<Mutex<HashMap<AccountId, usize>>>,
}

impl Places {
    /// `all` places for `what`, `each` of them at most for one account.
    pub(crate) fn new(what: &'static str, all: usize, each: usize) -> Self {
        Self { what, all, each, taken: Arc::default() }
    }

    /// A place, held until it is dropped.
    ///
    /// # Errors
    /// `OVERLOADED` when there was none for a while.
    pub(crate) async fn take(&self, account: &AccountId) -> Result<Place> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.try_take(account) {
                Some(place) => return Ok(place),
                None if Instant::now() < end => tokio::time::sleep(PAUSE).await,
                None => return Err(crowded(self.what)),
            }
        }
    }

    /// A place, if there is one now.
    pub(crate) fn try_take(&self, account: &AccountId) -> Option<Place> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(account).copied().unwrap_or_default();
        if own >= self.each || taken.values().sum::<usize>() >= self.all {
            return None;
        }
        taken.insert(account.clone(), own + 1);
        Some(Place { places: self.clone(), account: account.clone() })
    }
}

/// One of them.
pub(crate) struct Place {
    places: Places,
    account: AccountId,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.account) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(taken.remove(&self.account)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_account_leaves_places_for_others_and_places_come_back() {
        let places = Places::new("tests", 3, 2);
        let (one, other, third) = (AccountId::new(), AccountId::new(), AccountId::new());
        let first = places.try_take(&one).unwrap();
        let _second = places.try_take(&one).unwrap();
        assert!(places.try_take(&one).is_none());
        let _of_other = places.try_take(&other).unwrap();
        assert!(places.try_take(&third).is_none());
        drop(first);
        let _of_third = places.try_take(&third).unwrap();
    }
}
