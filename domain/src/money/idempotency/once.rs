//! Unpaid work under an `Idempotency-Key`: done once, however often it is asked for.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{Begun, Claim, Idempotency, IdempotencyKey};
use crate::{Error, Result};
use ports::id::{AccountId, RequestId};

/// Set where a stored outcome is returned in place of new work.
#[derive(Clone, Debug, Default)]
pub struct ReplayFlag(Arc<AtomicBool>);

impl ReplayFlag {
    fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A request with an `Idempotency-Key`.
pub struct Once {
    pub idempotency: Idempotency,
    /// The header's value.
    pub key: String,
    pub request_id: RequestId,
    pub replayed: ReplayFlag,
}

impl Once {
    /// Does the work, or returns the outcome that is stored. `work` stores its outcome with [`super::store_unpaid`] in
    /// its own transaction.
    ///
    /// # Errors
    /// Those of `work`, after which the key is free again; `VALIDATION_FAILED`, `IDEMPOTENCY_MISMATCH` and `CONFLICT`
    /// for the key itself.
    pub(crate) async fn run<T: DeserializeOwned, F: Future<Output = Result<T>>>(
        self,
        account: &AccountId,
        route: &str,
        request: &impl Serialize,
        work: impl FnOnce(Claim) -> F,
    ) -> Result<T> {
        let Self { idempotency, key, request_id, replayed } = self;
        let key = IdempotencyKey::new(&key, route, request)?;
        let flight = idempotency.enter(account, &key).await?;
        match idempotency.begin(&flight, request_id).await? {
            Begun::Replay(stored) => {
                replayed.set();
                serde_json::from_value(stored.outcome).map_err(Error::internal)
            }
            Begun::Run(claim) => {
                let done = work(claim.clone()).await;
                if done.is_err() {
                    idempotency.release(claim).await;
                }
                done
            }
        }
    }
}
