//! Admission control: lets work start only if the account can pay for it, without a database query for each request.
//!
//! It never refuses a request by itself: before a 402 the balance is read from the database. A request that finds
//! enough credits, all of them reserved by others in progress, waits until one of those settles.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, futures::OwnedNotified};

use crate::money::amount::Amount;
use ports::id::AccountId;

/// How long to wait for another request to settle before the balance is read again.
pub(super) const SETTLE_TIMEOUT: Duration = Duration::from_secs(1);

/// The funds of each account, as known to this process.
#[derive(Default)]
pub(super) struct Admission {
    accounts: Mutex<HashMap<AccountId, KnownFunds>>,
}

/// The known funds of one account, in milli-credits.
#[derive(Default)]
struct KnownFunds {
    /// Credits available at `seq`; `None` until they are read from the database.
    available: Option<i64>,
    seq: i64,
    /// Credits reserved by requests in progress in this process.
    pending: i64,
    settled: Arc<Notify>,
}

/// The result of a reservation.
pub(super) enum Admitted {
    /// The amount is set aside.
    Reserved(Reservation),
    /// There are enough credits, but other requests have reserved them: wait, then try again.
    Contended(OwnedNotified),
    /// The known funds are insufficient or unknown: read the balance.
    Unknown,
}

impl Admission {
    /// Reserves `amount` if the known funds of the account suffice.
    pub(super) fn reserve(self: &Arc<Self>, account: &AccountId, amount: Amount) -> Admitted {
        let mut accounts = self.lock();
        let Some(funds) = accounts.get_mut(account) else { return Admitted::Unknown };
        match funds.available {
            Some(available) if available - funds.pending >= amount.milli() => {
                funds.pending += amount.milli();
                Admitted::Reserved(Reservation { admission: self.clone(), account: account.clone(), amount })
            }
            Some(available) if available >= amount.milli() => {
                Admitted::Contended(funds.settled.clone().notified_owned())
            }
            _ => Admitted::Unknown,
        }
    }

    /// Whether the known funds of the account are at least `amount`, those included that are reserved.
    pub(super) fn is_known_to_have(&self, account: &AccountId, amount: Amount) -> bool {
        let available = self.lock().get(account).and_then(|funds| funds.available);
        available.is_some_and(|available| available >= amount.milli())
    }

    /// Updates the known funds from the database, and drops values with an older `seq`. Holds change without a new
    /// `seq`: of two equally old values the later one wins. At worst, a charge that was admitted is then refused.
    pub(super) fn update(&self, account: &AccountId, available: Amount, seq: i64) {
        let mut accounts = self.lock();
        let funds = accounts.entry(account.clone()).or_default();
        if seq >= funds.seq {
            (funds.available, funds.seq) = (Some(available.milli()), seq);
            funds.settled.notify_waiters();
        }
    }

    /// Discards the known funds, which proved wrong, so that the balance is read before the next admission.
    pub(super) fn invalidate(&self, account: &AccountId) {
        if let Some(funds) = self.lock().get_mut(account) {
            funds.available = None;
        }
    }

    fn release(&self, account: &AccountId, amount: Amount) {
        if let Some(funds) = self.lock().get_mut(account) {
            funds.pending -= amount.milli();
            funds.settled.notify_waiters();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, KnownFunds>> {
        self.accounts.lock()
    }
}

/// Credits reserved in this process for one request. Released when dropped.
#[must_use]
pub struct Reservation {
    admission: Arc<Admission>,
    account: AccountId,
    amount: Amount,
}

impl Reservation {
    /// Records that the charge or hold was committed. Until the drop the amount counts twice, as spent and as pending;
    /// that can make another request wait, but never refuses it.
    pub(super) fn settle(self, remaining: Amount, seq: i64) {
        self.admission.update(&self.account, remaining, seq);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.admission.release(&self.account, self.amount);
    }
}
