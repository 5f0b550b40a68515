//! Work that a client pays for, the one line that every paid endpoint runs: replay or claim, afford, work, charge.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Code, Context, Error, Result,
    credits::{Amount, Entry, Hold, Kind, Receipt, Reservation},
    dataset::NewSample,
    id::{AccountId, KeyId, RequestId},
    idempotency::{Begun, Claim, IdempotencyKey, Stored},
};

/// How long a hold lasts when nobody ends it: longer than any request may take.
const HELD: Duration = Duration::from_secs(90);

/// What becomes of a request, decided once: it is charged for, or given up because it took too long. So nobody who was
/// told that nothing was charged is charged after all.
#[derive(Clone, Debug, Default)]
pub struct Fate(Arc<AtomicBool>);

impl Fate {
    /// Decides it; false when that has been done.
    pub fn decide(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// Who asks, and for what.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who pays.
    pub account: AccountId,
    /// The key that was shown.
    pub key: KeyId,
    /// The route, for the ledger.
    pub endpoint: &'static str,
    /// This request.
    pub request_id: RequestId,
    /// Whether its answer is still waited for.
    pub fate: Fate,
    /// The client's own key, when it sent one.
    pub idempotency: Option<IdempotencyKey>,
}

/// Work done and paid for.
#[derive(Clone, Debug)]
pub struct Paid<T> {
    /// Under which it was charged: of the first request, when this one repeats it.
    pub request_id: RequestId,
    /// What the work gave.
    pub outcome: T,
    /// What it cost and what is left.
    pub receipt: Receipt,
    /// Whether it was done before, and only its answer is repeated.
    pub replayed: bool,
}

/// Something that is worth money: it has an id to put in the ledger.
pub trait Billable: Serialize + DeserializeOwned + Send + 'static {
    /// What the ledger row refers to, such as `mod_…`.
    fn reference(&self) -> String;

    /// The sample to be recorded in the commit of the charge, when there is one; gives it once.
    fn take_sample(&mut self) -> Option<Box<NewSample>> {
        None
    }
}

/// What makes sure that work is paid for once it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// A reservation in this process: for cheap work of our own.
    Reservation,
    /// A durable hold, while somebody else works for money.
    Hold,
}

/// Does `work` and charges `cost` for it, once. Runs to its end even when the client hangs up; charges nothing once the
/// request was given up.
///
/// # Errors
/// Whatever the work fails with, uncharged; `INSUFFICIENT_CREDITS`; those of an `Idempotency-Key`.
pub async fn run<T, W>(
    ctx: &Context,
    caller: Caller,
    cost: Amount,
    security: Security,
    work: W,
) -> Result<Paid<T>>
where
    T: Billable,
    W: Future<Output = Result<T>> + Send + 'static,
{
    let ctx = ctx.clone();
    tokio::spawn(async move { replay_or_run(&ctx, caller, (cost, security), work).await })
        .await
        .map_err(Error::internal)?
}

async fn replay_or_run<T, W>(
    ctx: &Context,
    mut caller: Caller,
    cost: (Amount, Security),
    work: W,
) -> Result<Paid<T>>
where
    T: Billable,
    W: Future<Output = Result<T>>,
{
    let Some(key) = caller.idempotency.take() else {
        return work_and_charge(ctx, caller, cost, work, None).await;
    };
    match ctx.idempotency.begin(&caller.account, &key, caller.request_id.clone()).await? {
        Begun::Replay(stored) => replay(stored),
        Begun::Run(claim) => {
            caller.request_id = claim.request_id.clone();
            let result = work_and_charge(ctx, caller, cost, work, Some(&claim)).await;
            match &result {
                // This one was slow and taken for dead. What the other one has answered is the answer.
                Err(error) if error.code == Code::Conflict => {
                    ctx.idempotency.answered_by_another(&claim).await?.map_or(result, replay)
                }
                Err(_) => {
                    ctx.idempotency.release(claim).await;
                    result
                }
                Ok(_) => result,
            }
        }
    }
}

fn replay<T: Billable>(stored: Stored) -> Result<Paid<T>> {
    let outcome = serde_json::from_value(stored.outcome).map_err(Error::internal)?;
    Ok(Paid { request_id: stored.request_id, outcome, receipt: stored.receipt, replayed: true })
}

/// What is set aside for work under way.
enum Secured {
    Reservation(Reservation),
    Hold(Hold),
}

impl Secured {
    /// Before the client hears of the failure, so that it finds its credits there.
    async fn give_back(self, ctx: &Context) {
        if let Secured::Hold(hold) = self
            && let Err(error) = ctx.credits.release(hold).await
        {
            tracing::warn!(%error, "a hold stays until the database answers again, or until it expires");
        }
    }
}

async fn work_and_charge<T, W>(
    ctx: &Context,
    caller: Caller,
    (cost, security): (Amount, Security),
    work: W,
    claim: Option<&Claim>,
) -> Result<Paid<T>>
where
    T: Billable,
    W: Future<Output = Result<T>>,
{
    let secured = match security {
        Security::Reservation => Secured::Reservation(ctx.credits.require(&caller.account, cost).await?),
        Security::Hold => {
            let request_id = caller.request_id.clone();
            let hold = ctx.credits.hold(&caller.account, cost, request_id, caller.endpoint, HELD);
            Secured::Hold(hold.await?)
        }
    };
    let done = work.await.and_then(|outcome| match caller.fate.decide() {
        true => Ok(outcome),
        false => Err(Error::new(Code::Overloaded, "the request was given up before this was done")),
    });
    let mut outcome = match done {
        Ok(outcome) => outcome,
        Err(error) => {
            secured.give_back(ctx).await;
            return Err(error);
        }
    };
    let request_id = caller.request_id.clone();
    let mut entry = Entry::new(caller.account, caller.request_id, Kind::Charge, -cost);
    entry.reference = Some(outcome.reference());
    entry.endpoint = Some(caller.endpoint);
    entry.key = Some(caller.key);
    entry.sample = outcome.take_sample().map(|mut sample| {
        sample.request_id = Some(entry.request_id.clone());
        sample.credits = cost;
        sample
    });
    if let Some(claim) = claim {
        entry.answer = Some(claim.answer(serde_json::to_value(&outcome).map_err(Error::internal)?));
    }
    let receipt = match secured {
        Secured::Reservation(reservation) => ctx.credits.charge(reservation, entry).await?,
        Secured::Hold(hold) => ctx.credits.capture(hold, entry).await?,
    };
    Ok(Paid { request_id, outcome, receipt, replayed: false })
}
