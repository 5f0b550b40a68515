//! Credits set aside for a request that is being worked on.

use super::{Cost, Payment, run::HOLD_TTL};
use crate::{
    Result,
    credits::{Credits, Entry, Hold, Receipt, Reservation},
};

/// What is set aside.
pub(super) enum SetAside {
    Reservation(Reservation),
    Hold(Hold),
}

impl SetAside {
    /// # Errors
    /// `INSUFFICIENT_CREDITS`, and `INTERNAL_ERROR` when the database stayed away.
    pub(super) async fn new(credits: &Credits, payment: &Payment, cost: Cost) -> Result<Self> {
        Ok(match cost {
            Cost::Reserved(amount) => Self::Reservation(credits.require(&payment.account, amount).await?),
            Cost::Held(amount) => {
                let request_id = payment.request_id.clone();
                let hold = credits.hold(&payment.account, amount, request_id, payment.endpoint, HOLD_TTL);
                Self::Hold(hold.await?)
            }
        })
    }

    /// Releases it before the client hears of a failure, so that it finds its credits there.
    pub(super) async fn release(self, credits: &Credits) {
        if let Self::Hold(hold) = self
            && let Err(error) = credits.release(hold).await
        {
            tracing::warn!(%error, "a hold stays until the database answers again, or until it expires");
        }
    }

    /// Spends it on an entry.
    ///
    /// # Errors
    /// Those of [`Credits::charge`].
    pub(super) async fn charge(self, credits: &Credits, entry: Entry) -> Result<Receipt> {
        match self {
            Self::Reservation(reservation) => credits.charge(reservation, entry).await,
            Self::Hold(hold) => credits.capture(hold, entry).await,
        }
    }
}
