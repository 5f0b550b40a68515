//! Lets work begin only when it could be paid for, without a database round trip for each request.
//!
//! Refuses nobody by itself: before a 402 the balance is read from the database, and a request that finds enough
//! money, all of it spoken for by others under way, waits until one of those settles.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::{Notify, futures::OwnedNotified};

use crate::{amount::Amount, id::AccountId};

/// How long to wait for another request to settle before the balance is read again.
pub(super) const SETTLE_TIMEOUT: Duration = Duration::from_secs(1);

/// What this process knows of each account.
#[derive(Default)]
pub(super) struct Admission {
    accounts: Mutex<HashMap<AccountId, Purse>>,
}

/// One account, in milli-credits.
#[derive(Default)]
struct Purse {
    /// What was available at `seq`; none until the database has been asked.
    available: Option<i64>,
    seq: i64,
    /// What requests under way in this process may still take.
    pending: i64,
    settled: Arc<Notify>,
}

/// Whether an amount could be reserved.
pub(super) enum Admitted {
    /// The amount is set aside.
    Reserved(Reservation),
    /// There is enough, but others may take it: wait, then ask again.
    Contended(OwnedNotified),
    /// Not enough by what is known: read the balance.
    Unknown,
}

impl Admission {
    /// Sets `amount` aside if what is known of the account allows it.
    pub(super) fn ask(self: &Arc<Self>, account: &AccountId, amount: Amount) -> Admitted {
        let mut accounts = self.lock();
        let Some(purse) = accounts.get_mut(account) else { return Admitted::Unknown };
        match purse.available {
            Some(available) if available - purse.pending >= amount.milli() => {
                purse.pending += amount.milli();
                Admitted::Reserved(Reservation { admission: self.clone(), account: account.clone(), amount })
            }
            Some(available) if available >= amount.milli() => {
                Admitted::Contended(purse.settled.clone().notified_owned())
            }
            _ => Admitted::Unknown,
        }
    }

    /// Takes note of what the database says; older news than what is known is dropped. Holds come and go without a new
    /// `seq`: of two equally old ones the later told is believed, and at worst a charge is refused that was admitted.
    pub(super) fn learn(&self, account: &AccountId, available: Amount, seq: i64) {
        let mut accounts = self.lock();
        let purse = accounts.entry(account.clone()).or_default();
        if seq >= purse.seq {
            (purse.available, purse.seq) = (Some(available.milli()), seq);
            purse.settled.notify_waiters();
        }
    }

    /// What is known has proved wrong: the database is asked before the next one is admitted.
    pub(super) fn forget(&self, account: &AccountId) {
        if let Some(purse) = self.lock().get_mut(account) {
            purse.available = None;
        }
    }

    fn release(&self, account: &AccountId, amount: Amount) {
        if let Some(purse) = self.lock().get_mut(account) {
            purse.pending -= amount.milli();
            purse.settled.notify_waiters();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Purse>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An amount set aside in this process for one request. Given back when dropped.
#[must_use]
pub struct Reservation {
    admission: Arc<Admission>,
    account: AccountId,
    amount: Amount,
}

impl Reservation {
    /// The charge or the hold was committed. For a moment the amount counts twice, as spent and as pending; that can
    /// make a newcomer wait, never be refused.
    pub(super) fn settle(self, remaining: Amount, seq: i64) {
        self.admission.learn(&self.account, remaining, seq);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.admission.release(&self.account, self.amount);
    }
}
