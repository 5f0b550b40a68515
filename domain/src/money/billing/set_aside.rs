//! Credits set aside for a request in progress.

use std::time::Duration;

use super::{Cost, Payment};
use crate::{
    Result,
    money::credits::{Credits, Hold, LedgerEntry, Receipt, Reservation},
};

/// How long a request's hold lasts when it is neither captured nor released; longer than any request may take.
const HOLD_TTL: Duration = Duration::from_secs(90);

/// A reservation in this process, or a hold in the database.
pub(super) enum SetAside {
    Reservation(Reservation),
    Hold(Hold),
}

impl SetAside {
    /// # Errors
    /// `INSUFFICIENT_CREDITS`; `INTERNAL_ERROR` when the database does not answer.
    pub(super) async fn new(credits: &Credits, payment: &Payment, cost: Cost) -> Result<Self> {
        Ok(match cost {
            Cost::Reserved(amount) => Self::Reservation(credits.require(&payment.account, amount).await?),
            Cost::Held(amount) => {
                let request_id = payment.request_id.clone();
                let hold = credits.hold(&payment.account, amount, request_id, payment.endpoint, HOLD_TTL);
                Self::Hold(Box::pin(hold).await?)
            }
        })
    }

    /// Releases the credits. Called before a failure is answered, so that the client can spend them at once.
    pub(super) async fn release(self, credits: &Credits) {
        if let Self::Hold(hold) = self
            && let Err(error) = credits.release(hold).await
        {
            tracing::warn!(%error, "could not release a hold; it stays until the database answers or it expires");
        }
    }

    /// Charges an entry against the credits set aside.
    ///
    /// # Errors
    /// Those of [`Credits::charge`].
    pub(super) async fn charge(self, credits: &Credits, entry: LedgerEntry) -> Result<Receipt> {
        match self {
            Self::Reservation(reservation) => credits.charge(reservation, entry).await,
            Self::Hold(hold) => Box::pin(credits.capture(hold, entry)).await,
        }
    }
}
