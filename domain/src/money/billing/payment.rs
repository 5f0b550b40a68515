//! Who pays for a request, how much, and for how long its permits are kept.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    foundation::{allowed_backends::AllowedBackends, slots::SlotPermit, tenant::Tenant},
    money::{amount::Amount, credits::Payer, idempotency::IdempotencyKey},
};
use ports::id::{AccountId, JudgeId, RequestId};

/// A flag that a request's charge and its timeout race to set; the first one wins. A request that was answered with a
/// timeout is therefore never charged.
///
/// It keeps the request's permit among the requests in flight until its last clone is dropped: that of the request, or
/// that of the task that works for a client that has gone.
#[derive(Clone, Debug, Default)]
pub struct FinishFlag(Arc<InFlight>);

#[derive(Debug, Default)]
struct InFlight {
    finished: AtomicBool,
    /// Set once the account is known. Dropped before the other, so that the next owner of that one finds this one free
    /// too.
    account: OnceLock<SlotPermit>,
    permit: Mutex<Option<OwnedSemaphorePermit>>,
}

impl FinishFlag {
    /// The flag of a request that holds `permit`.
    pub fn holding(permit: OwnedSemaphorePermit) -> Self {
        Self(Arc::new(InFlight { permit: Mutex::new(Some(permit)), ..InFlight::default() }))
    }

    /// Gives the permit back while the request waits for its client; returns the semaphore
    /// to take another one from.
    pub fn give_back(&self) -> Option<Arc<Semaphore>> {
        let permit = self.0.permit.lock().take();
        permit.map(|permit| permit.semaphore().clone())
    }

    /// Keeps another permit in the place of the one that was given back.
    pub fn hold(&self, permit: OwnedSemaphorePermit) {
        *self.0.permit.lock() = Some(permit);
    }

    /// Also holds a permit of the account, until the last clone is dropped.
    pub fn hold_of_account(&self, permit: SlotPermit) {
        let _ = self.0.account.set(permit);
    }

    /// Sets the flag. Returns false when it was set before.
    pub fn set(&self) -> bool {
        !self.0.finished.swap(true, Ordering::AcqRel)
    }
}

/// The payment for a request.
#[derive(Clone, Debug)]
pub struct Payment {
    /// The account that is charged.
    pub account: AccountId,
    pub payer: Payer,
    /// The backends that may be asked.
    pub backends: AllowedBackends,
    /// The Judge that answers, if one does.
    pub judge: Option<JudgeId>,
    /// The route, as recorded in the ledger.
    pub endpoint: &'static str,
    /// The messages, pictures and decisions that are paid for.
    pub items: usize,
    /// The request id of the charge.
    pub request_id: RequestId,
    /// The time that the charge has, for examples; `None` for that of its commit.
    pub at: Option<DateTime<Utc>>,
    /// Set by the request's timeout or by its charge.
    pub finish: FinishFlag,
    /// The client's `Idempotency-Key`, if it sent one.
    pub idempotency: Option<IdempotencyKey>,
}

impl Payment {
    /// Whom the work is done for.
    pub fn tenant(&self) -> Tenant {
        Tenant { account: self.account.clone(), backends: self.backends.clone() }
    }
}

/// The cost of a request, and how it is set aside during the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Reserved in this process, for cheap work done in process.
    Reserved(Amount),
    /// Held in the database, where it survives the process, for work by an external server that costs money.
    Held(Amount),
}

impl Cost {
    pub(super) fn amount(self) -> Amount {
        match self {
            Cost::Reserved(amount) | Cost::Held(amount) => amount,
        }
    }
}
