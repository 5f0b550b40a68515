//! Holds of requests: credits set aside in the database while an external server works. A hold does not change the
//! balance. It ends when it is captured by its charge, released, or expired by the database's clock, whichever comes
//! first.

use std::time::{Duration, Instant};

use entity::hold;
use sea_orm::{
    Condition, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait},
};
use tokio::sync::oneshot;

use super::{
    Credits, Hold, LedgerEntry, Receipt,
    entry::HoldUse,
    place::QueuedHold,
    release::{HoldKey, by_id, release_holds},
};
use crate::{Code, Error, Result, money::amount::Amount};
use ports::id::{AccountId, HoldId, RequestId};

impl Credits {
    /// Holds `amount` for `ttl` in the database, where it survives this process. A second hold for the same request
    /// replaces the first, as when a request is taken over from a process that died.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when fewer credits are available in the database; `NOT_FOUND` for an account that was
    /// erased; `INTERNAL_ERROR` when the database does not answer. No hold remains then.
    pub async fn hold(
        &self,
        account: &AccountId,
        amount: Amount,
        request_id: RequestId,
        purpose: &'static str,
        ttl: Duration,
    ) -> Result<Hold> {
        // The reservation keeps credits that requests in progress may still spend from being held too. A refusal is not
        // final: an earlier hold for the same request may be the only obstacle.
        let reservation = match self.require(account, amount).await {
            Err(error) if error.code != Code::InsufficientCredits => return Err(error),
            asked => asked.ok(),
        };
        let since = Instant::now();
        let key = HoldKey { id: HoldId::new(), account: account.clone(), expires: since + ttl };
        let hold = Hold::new(key, amount, request_id, self.dropped_holds.clone());
        let (reply, placed) = oneshot::channel();
        let queued = QueuedHold { hold, purpose, ttl, since, reply };
        self.new_holds.send(queued).await.map_err(Error::internal)?;
        let placed = placed.await.map_err(Error::internal)?;
        drop(reservation);
        placed
    }

    /// Charges for successful work and ends its hold in one commit; returns the receipt. If the hold has expired
    /// meanwhile, the charge is made without it.
    ///
    /// # Errors
    /// As [`Credits::charge`]; `INTERNAL_ERROR` for an entry of another request or above the hold. The hold is
    /// released.
    pub async fn capture(&self, hold: Hold, mut entry: LedgerEntry) -> Result<Receipt> {
        let same = entry.request_id == hold.request_id && entry.account == hold.key.account;
        if !same || -entry.delta.milli() > hold.amount.milli() {
            return Err(Error::internal(format!("a hold does not cover the charge of {}", entry.request_id)));
        }
        entry.hold = HoldUse::Capture;
        let receipt = self.enqueue(entry).await?;
        self.admission.update(&hold.key.account, receipt.remaining, receipt.seq);
        hold.ended();
        Ok(receipt)
    }

    /// Releases a hold. An expired hold is no error.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer; the hold is then released later.
    pub async fn release(&self, hold: Hold) -> Result<()> {
        self.db.in_time(release_holds(&self.db, &hold.key.account, by_id(&hold.key))).await?;
        hold.ended();
        Ok(())
    }

    /// Releases expired holds, up to 1,000 of each account; returns how many. Several replicas may do so at the same
    /// time.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn expire_holds(&self) -> Result<u64> {
        let db = &self.db;
        let expired = Condition::all().add(Expr::col(hold::Column::ExpiresAt).lte(Expr::cust(db.now_ms())));
        let accounts = hold::Entity::find().select_only().column(hold::Column::AccountId).distinct();
        let accounts: Vec<String> =
            db.in_time(accounts.filter(expired.clone()).into_tuple().all(db.read())).await?;
        let mut released = 0;
        for account in accounts.into_iter().map(AccountId::from) {
            released += db.in_time(release_holds(db, &account, expired.clone())).await?;
        }
        metrics::counter!("gavel_holds_expired_total").increment(released);
        Ok(released)
    }
}
