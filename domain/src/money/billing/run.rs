//! Runs a paid operation: replay or claim the idempotency key, set credits aside, do the work, charge.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use serde::{Serialize, de::DeserializeOwned};
use tracing::Instrument as _;

use super::{Billing, Cost, Payment, run_to_completion::RunToCompletion, set_aside::SetAside};
use crate::{
    Code, Error, Result,
    foundation::traces::child_span,
    money::{
        amount::Amount,
        credits::{EntryKind, LedgerEntry, Receipt, SideRow},
        idempotency::{Begun, Claim, Flight, StoredAnswer},
    },
};
use ports::id::RequestId;

/// The outcome of paid work with its receipt.
#[derive(Clone, Debug)]
pub struct Paid<T> {
    /// The request id of the charge: that of the first request when this one repeats it.
    pub request_id: RequestId,
    pub outcome: T,
    pub receipt: Receipt,
    /// True when a stored answer is repeated: no work was done and nothing was charged.
    pub replayed: bool,
}

/// The outcome of paid work.
pub trait Billable: Serialize + DeserializeOwned + Send + 'static {
    /// The reference in the ledger row, such as `mod_…`.
    fn reference(&self) -> String;
}

/// The outcome of paid work with the rows to write in the commit of its charge.
pub struct Done<T> {
    pub outcome: T,
    pub side_rows: Vec<SideRow>,
    /// What is charged, at most what was set aside; `None` for all of it.
    pub price: Option<Amount>,
}

impl<T> From<T> for Done<T> {
    fn from(outcome: T) -> Self {
        Self { outcome, side_rows: Vec::new(), price: None }
    }
}

impl Billing {
    /// Does `work` and charges for it once. Runs to completion even when the client disconnects; charges nothing once
    /// the request has timed out.
    ///
    /// # Errors
    /// Those of the work, without a charge; `INSUFFICIENT_CREDITS`; those of an `Idempotency-Key`.
    pub async fn run<T, D, W>(self: &Arc<Self>, payment: Payment, cost: Cost, work: W) -> Result<Paid<T>>
    where
        T: Billable,
        D: Into<Done<T>>,
        W: Future<Output = Result<D>> + Send + 'static,
    {
        // Waits here, where it ends when the client disconnects.
        let flight = match &payment.idempotency {
            Some(key) => Some(self.idempotency.enter(&payment.account, key).await?),
            None => None,
        };
        // Boxed once here: each future that it passes through would hold a copy of it.
        let billing = self.clone();
        let work = Box::pin(work);
        let span = child_span!("billing", endpoint = payment.endpoint);
        let paid = async move { billing.replay_or_run(payment, flight, cost, work).await };
        RunToCompletion::new(paid.instrument(span)).await
    }

    /// The stored answer to a repeated request; `None` without one, or without an `Idempotency-Key`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn replayed<T: Billable>(&self, payment: &Payment) -> Result<Option<Paid<T>>> {
        let Some(key) = &payment.idempotency else { return Ok(None) };
        self.idempotency.answered(&payment.account, key).await?.map(replay).transpose()
    }

    async fn replay_or_run<T, D, W>(
        &self,
        mut payment: Payment,
        flight: Option<Flight>,
        cost: Cost,
        work: W,
    ) -> Result<Paid<T>>
    where
        T: Billable,
        D: Into<Done<T>>,
        W: Future<Output = Result<D>>,
    {
        let Some(flight) = flight else { return self.work_and_charge(payment, cost, work, None).await };
        match self.idempotency.begin(&flight, payment.request_id.clone()).await? {
            Begun::Replay(stored) => replay(stored),
            Begun::Run(claim) => {
                payment.request_id = claim.request_id.clone();
                let result = self.work_and_charge(payment, cost, work, Some(&claim)).await;
                match &result {
                    // The lease of this run expired and another run took over: that run's answer counts.
                    Err(error) if error.code == Code::Conflict => {
                        self.idempotency.answered_by_another(&claim).await?.map_or(result, replay)
                    }
                    Err(_) => {
                        self.idempotency.release(claim).await;
                        result
                    }
                    Ok(_) => result,
                }
            }
        }
    }

    async fn work_and_charge<T, D, W>(
        &self,
        payment: Payment,
        cost: Cost,
        work: W,
        claim: Option<&Claim>,
    ) -> Result<Paid<T>>
    where
        T: Billable,
        D: Into<Done<T>>,
        W: Future<Output = Result<D>>,
    {
        let set_aside = SetAside::new(&self.credits, &payment, cost).await?;
        // A panic is an error like others, so that it releases what was set aside and the key.
        let done = AssertUnwindSafe(work).catch_unwind().await;
        let done = done.unwrap_or_else(|_| Err(Error::internal("the work panicked; the log says where")));
        let done = done.and_then(|done| match payment.finish.set() {
            true => Ok(done.into()),
            false => Err(Error::new(Code::Overloaded, "the request was cancelled before it was done")),
        });
        let Done { outcome, side_rows, price } = match done {
            Ok(done) => done,
            Err(error) => {
                set_aside.release(&self.credits).await;
                return Err(error);
            }
        };
        let price = price.map_or(cost.amount(), |price| price.min(cost.amount()));
        let request_id = payment.request_id.clone();
        let mut entry = LedgerEntry::new(payment.account, payment.request_id, EntryKind::Charge, -price);
        entry.items = payment.items as u64;
        entry.reference = Some(outcome.reference());
        entry.endpoint = Some(payment.endpoint.into());
        entry.payer = Some(payment.payer);
        entry.judge = payment.judge;
        entry.at = payment.at;
        entry.side_rows = side_rows;
        if let Some(claim) = claim {
            let answer = claim.answer(serde_json::to_value(&outcome).map_err(Error::internal)?);
            entry.side_rows.push(Arc::new(answer));
        }
        let charge = set_aside.charge(&self.credits, entry).instrument(child_span!("charge"));
        let receipt = charge.await?;
        Ok(Paid { request_id, outcome, receipt, replayed: false })
    }
}

fn replay<T: Billable>(stored: StoredAnswer) -> Result<Paid<T>> {
    let outcome = serde_json::from_value(stored.outcome).map_err(Error::internal)?;
    Ok(Paid { request_id: stored.request_id, outcome, receipt: stored.receipt, replayed: true })
}
