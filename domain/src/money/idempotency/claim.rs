//! Claims of idempotency keys, and the answers that are stored under them.

use std::time::{Duration, Instant};

use serde::Deserialize;

use super::{Answer, IdempotencyKey};
use crate::money::credits::Receipt;
use ports::id::{AccountId, RequestId};

/// How long a claim is valid before another replica may take it over. A request that takes longer may be worked on
/// twice, but is charged once.
pub(super) const LEASE_TTL: Duration = Duration::from_secs(30);

/// The result of claiming a key.
pub(crate) enum Begun {
    /// The first request under this key: do the work under this claim.
    Run(Claim),
    /// The request was done before: repeat the stored answer.
    Replay(StoredAnswer),
}

/// An answer as it was stored with its charge.
#[derive(Deserialize)]
pub(crate) struct StoredAnswer {
    /// The request id of the charge, which has its own column.
    #[serde(skip, default = "RequestId::new")]
    pub(crate) request_id: RequestId,
    /// The receipt of the charge.
    pub(crate) receipt: Receipt,
    /// The outcome of the work, as JSON.
    pub(crate) outcome: serde_json::Value,
}

/// A claim: the right to do the work of one idempotent request.
#[derive(Clone)]
pub(crate) struct Claim {
    pub(super) account: AccountId,
    pub(super) key: String,
    pub(crate) request_id: RequestId,
    /// The end of the lease; another value in the row means that another run has taken over. None while it is unknown
    /// whether the row was written.
    pub(super) lease_until: Option<i64>,
    /// A time before the lease began, or could have begun.
    pub(super) since: Instant,
}

impl Claim {
    /// A claim that is about to be written.
    pub(super) fn new(account: &AccountId, key: &IdempotencyKey, request_id: RequestId) -> Self {
        Self {
            account: account.clone(),
            key: key.key.clone(),
            request_id,
            lease_until: None,
            since: Instant::now(),
        }
    }

    /// The answer that the charge should store.
    pub(crate) fn answer(&self, outcome: serde_json::Value) -> Answer {
        Answer { key: self.key.clone(), outcome }
    }

    /// The same claim with the lease that was written.
    pub(super) fn until(&self, lease_until: i64) -> Self {
        Self { lease_until: Some(lease_until), ..self.clone() }
    }
}
