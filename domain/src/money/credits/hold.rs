//! A hold of one request.

use tokio::sync::mpsc;

use super::release::HoldKey;
use crate::money::amount::Amount;
use ports::id::RequestId;

/// Credits set aside in the database for one request. Released when dropped, as soon as the database answers;
/// [`Credits::expire_holds`](super::Credits::expire_holds) releases it if the process has died.
#[must_use]
#[derive(Debug)]
pub struct Hold {
    pub(super) key: HoldKey,
    pub(super) amount: Amount,
    pub(super) request_id: RequestId,
    /// The queue for a dropped hold; `None` once the hold has ended.
    dropped: Option<mpsc::UnboundedSender<HoldKey>>,
}

impl Hold {
    /// A hold that is still to be placed. `dropped` is the queue for one that is dropped.
    pub(super) fn new(
        key: HoldKey,
        amount: Amount,
        request_id: RequestId,
        dropped: mpsc::UnboundedSender<HoldKey>,
    ) -> Self {
        Self { key, amount, request_id, dropped: Some(dropped) }
    }

    pub fn amount(&self) -> Amount {
        self.amount
    }

    /// Ends the hold without a release.
    pub(super) fn ended(mut self) {
        self.dropped = None;
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(dropped) = self.dropped.take() {
            // Fails only while the process is shutting down; the hold then expires.
            let _ = dropped.send(self.key.clone());
        }
    }
}
