//! Runs at most one request of this process at a time for each `Idempotency-Key`. A few duplicates wait for it, without
//! a task or a database statement; further ones are refused.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use super::IdempotencyKey;
use crate::{Code, Error, Result};
use ports::id::AccountId;

/// How long a duplicate waits for the first request before it is refused.
pub(super) const DUPLICATE_TIMEOUT: Duration = Duration::from_secs(45);
/// Duplicates that wait under one key.
const WAITING_BY_KEY: usize = 24;
/// Duplicates of one account that wait, under all its keys.
const WAITING_BY_ACCOUNT: usize = 48;

/// The keys in use by requests of this process. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct SingleFlight(Arc<Mutex<HashMap<AccountId, AccountKeys>>>);

#[derive(Default)]
struct AccountKeys {
    /// Requests that wait for another one under their key.
    waiting: usize,
    keys: HashMap<String, KeyInUse>,
}

struct KeyInUse {
    /// The request that runs and those that wait for it.
    requests: usize,
    running: Arc<Semaphore>,
}

/// The right to run under a key; dropping it lets the next duplicate run.
pub(crate) struct Flight {
    pub(super) account: AccountId,
    pub(super) key: IdempotencyKey,
    /// The end of the time that a duplicate waits, in this process and for others.
    pub(super) deadline: Instant,
    _running: OwnedSemaphorePermit,
    _use: KeyUse,
}

impl SingleFlight {
    /// Waits until no other request of this process runs under the key.
    ///
    /// # Errors
    /// `CONFLICT` when too many wait already, or when the first one still runs after [`DUPLICATE_TIMEOUT`].
    pub(super) async fn enter(&self, account: &AccountId, key: &IdempotencyKey) -> Result<Flight> {
        let deadline = Instant::now() + DUPLICATE_TIMEOUT;
        let (running, in_use) = self.register(account, key)?;
        let _running = match running.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait(account, running, deadline).await?,
        };
        Ok(Flight { account: account.clone(), key: key.clone(), deadline, _running, _use: in_use })
    }

    /// Counts a request under its key, unless as many wait already as may.
    fn register(&self, account: &AccountId, key: &IdempotencyKey) -> Result<(Arc<Semaphore>, KeyUse)> {
        let mut accounts = self.lock();
        let own = accounts.entry(account.clone()).or_default();
        let full = own.waiting >= WAITING_BY_ACCOUNT;
        let one = own
            .keys
            .entry(key.key.clone())
            .or_insert_with(|| KeyInUse { requests: 0, running: Arc::new(Semaphore::new(1)) });
        if one.requests > 0 && (full || one.requests > WAITING_BY_KEY) {
            let message = "too many requests wait for the first one under this Idempotency-Key; send it again when \
                           that one is answered";
            return Err(Error::new(Code::Conflict, message));
        }
        one.requests += 1;
        let in_use = KeyUse { flights: self.clone(), account: account.clone(), key: key.key.clone() };
        Ok((one.running.clone(), in_use))
    }

    async fn wait(
        &self,
        account: &AccountId,
        running: Arc<Semaphore>,
        deadline: Instant,
    ) -> Result<OwnedSemaphorePermit> {
        if let Some(own) = self.lock().get_mut(account) {
            own.waiting += 1;
        }
        let _waiting = Waiting { flights: self, account };
        match tokio::time::timeout_at(deadline, running.acquire_owned()).await {
            Ok(permit) => permit.map_err(Error::internal),
            Err(_) => Err(still_running()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, AccountKeys>> {
        self.0.lock()
    }
}

/// The error of a duplicate that has waited long enough.
pub(super) fn still_running() -> Error {
    Error::new(Code::Conflict, "the first request under this Idempotency-Key is still running")
}

/// Counts a request under its key until it is dropped.
struct KeyUse {
    flights: SingleFlight,
    account: AccountId,
    key: String,
}

impl Drop for KeyUse {
    fn drop(&mut self) {
        let mut accounts = self.flights.lock();
        let Some(own) = accounts.get_mut(&self.account) else { return };
        if let Some(one) = own.keys.get_mut(&self.key) {
            one.requests -= 1;
            if one.requests == 0 {
                own.keys.remove(&self.key);
            }
        }
        if own.keys.is_empty() {
            accounts.remove(&self.account);
        }
    }
}

/// Counts a request among those that wait until it is dropped.
struct Waiting<'a> {
    flights: &'a SingleFlight,
    account: &'a AccountId,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(own) = self.flights.lock().get_mut(self.account) {
            own.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> IdempotencyKey {
        IdempotencyKey::new(name, "/", &()).unwrap()
    }

    /// Starts a request with the key `k`.
    fn enter(flights: &SingleFlight, account: &AccountId) -> tokio::task::JoinHandle<Result<()>> {
        let flights = flights.clone();
        let account = account.clone();
        tokio::spawn(async move { flights.enter(&account, &key("k")).await.map(drop) })
    }

    fn waiting_of(flights: &SingleFlight, account: &AccountId) -> usize {
        flights.lock().get(account).map_or(0, |own| own.waiting)
    }

    #[tokio::test]
    async fn one_runs_a_few_wait_and_a_cancelled_waiter_leaves_nothing() {
        let flights = SingleFlight::default();
        let account = AccountId::new();
        let other = AccountId::new();
        let first = flights.enter(&account, &key("k")).await.unwrap();
        let waiting: Vec<_> = (0..WAITING_BY_KEY).map(|_| enter(&flights, &account)).collect();
        while waiting_of(&flights, &account) < WAITING_BY_KEY {
            tokio::task::yield_now().await;
        }
        assert_eq!(enter(&flights, &account).await.unwrap().unwrap_err().code, Code::Conflict);
        flights.enter(&account, &key("another")).await.unwrap();
        flights.enter(&other, &key("k")).await.unwrap();
        waiting[0].abort();
        while waiting_of(&flights, &account) == WAITING_BY_KEY {
            tokio::task::yield_now().await;
        }
        drop(first);
        for (n, one) in waiting.into_iter().enumerate() {
            assert_eq!(one.await.is_ok_and(|entered| entered.is_ok()), n > 0);
        }
        assert!(flights.lock().is_empty());
    }
}
