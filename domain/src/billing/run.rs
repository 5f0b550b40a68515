//! Runs a paid operation: replay or claim the idempotency key, set credits aside, do the work, charge.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};

use super::{Billing, set_aside::SetAside};
use crate::{
    Code, Error, Result,
    amount::Amount,
    credits::{Entry, Kind, Payer, Receipt, SideRow},
    id::{AccountId, RequestId},
    idempotency::{Begun, Claim, IdempotencyKey, StoredAnswer},
};

/// How long a request's hold lasts when it is neither captured nor released; longer than any request may take.
pub(super) const HOLD_TTL: Duration = Duration::from_secs(90);

/// A flag that a request's charge and its timeout race to set; the first one wins. A request that was answered with a
/// timeout is therefore never charged.
#[derive(Clone, Debug, Default)]
pub struct FinishFlag(Arc<AtomicBool>);

impl FinishFlag {
    /// Sets the flag. Returns false when it was set before.
    pub fn set(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// The payment for a request.
#[derive(Clone, Debug)]
pub struct Payment {
    /// The account that is charged.
    pub account: AccountId,
    pub payer: Payer,
    /// The route, as recorded in the ledger.
    pub endpoint: &'static str,
    /// The request id of the charge.
    pub request_id: RequestId,
    /// Set by the request's timeout or by its charge.
    pub finish: FinishFlag,
    /// The client's `Idempotency-Key`, if it sent one.
    pub idempotency: Option<IdempotencyKey>,
}

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
}

impl<T> From<T> for Done<T> {
    fn from(outcome: T) -> Self {
        Self { outcome, side_rows: Vec::new() }
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
        // Boxed once here: each future that it passes through would hold a copy of it.
        let (billing, work) = (self.clone(), Box::pin(work));
        tokio::spawn(async move { billing.replay_or_run(payment, cost, work).await })
            .await
            .map_err(Error::internal)?
    }

    async fn replay_or_run<T, D, W>(&self, mut payment: Payment, cost: Cost, work: W) -> Result<Paid<T>>
    where
        T: Billable,
        D: Into<Done<T>>,
        W: Future<Output = Result<D>>,
    {
        let Some(key) = payment.idempotency.take() else {
            return self.work_and_charge(payment, cost, work, None).await;
        };
        match self.idempotency.begin(&payment.account, &key, payment.request_id.clone()).await? {
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
        let done = work.await.and_then(|done| match payment.finish.set() {
            true => Ok(done.into()),
            false => Err(Error::new(Code::Overloaded, "the request was given up before this was done")),
        });
        let Done { outcome, side_rows } = match done {
            Ok(done) => done,
            Err(error) => {
                set_aside.release(&self.credits).await;
                return Err(error);
            }
        };
        let (Cost::Reserved(amount) | Cost::Held(amount)) = cost;
        let request_id = payment.request_id.clone();
        let mut entry = Entry::new(payment.account, payment.request_id, Kind::Charge, -amount);
        entry.reference = Some(outcome.reference());
        entry.endpoint = Some(payment.endpoint);
        entry.payer = Some(payment.payer);
        entry.side_rows = side_rows;
        if let Some(claim) = claim {
            let answer = claim.answer(serde_json::to_value(&outcome).map_err(Error::internal)?);
            entry.side_rows.push(Arc::new(answer));
        }
        let receipt = set_aside.charge(&self.credits, entry).await?;
        Ok(Paid { request_id, outcome, receipt, replayed: false })
    }
}

fn replay<T: Billable>(stored: StoredAnswer) -> Result<Paid<T>> {
    let outcome = serde_json::from_value(stored.outcome).map_err(Error::internal)?;
    Ok(Paid { request_id: stored.request_id, outcome, receipt: stored.receipt, replayed: true })
}
