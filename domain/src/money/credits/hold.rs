//! Durable holds: credits set aside in the database while an external server works. A hold does not change the balance.
//! It ends when it is captured by its charge, released, or expired by the database's clock, whichever comes first.

use std::time::{Duration, Instant};

use entity::hold;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Statement,
    sea_query::{Expr, ExprTrait},
};
use tokio::sync::mpsc;

use super::{
    Credits, LedgerEntry, Receipt,
    committer::{COMMIT_RETRY, COMMIT_TIMEOUT},
    entry::{HoldUse, insufficient},
    post::{lock, write_held},
    release::{HoldKey, by_id, delete_holds, release_holds},
};
use crate::{Code, Error, Result, foundation::database::Database, money::amount::Amount};
use ports::id::{AccountId, HoldId, RequestId};

/// Credits set aside in the database for one request. Released when dropped, as soon as the database answers;
/// [`Credits::expire_holds`] releases it if the process has died.
#[must_use]
#[derive(Debug)]
pub struct Hold {
    key: HoldKey,
    amount: Amount,
    request_id: RequestId,
    /// The queue for a dropped hold; `None` once the hold has ended.
    dropped: Option<mpsc::UnboundedSender<HoldKey>>,
}

impl Hold {
    pub fn amount(&self) -> Amount {
        self.amount
    }

    fn ended(mut self) {
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
        purpose: &str,
        ttl: Duration,
    ) -> Result<Hold> {
        // The reservation keeps credits that requests in progress may still spend from being held too. A refusal is not
        // final: an earlier hold for the same request may be the only obstacle.
        let reservation = match self.require(account, amount).await {
            Err(error) if error.code != Code::InsufficientCredits => return Err(error),
            asked => asked.ok(),
        };
        let start = Instant::now();
        let key = HoldKey { id: HoldId::new(), account: account.clone(), expires: start + ttl };
        let hold = Hold { key, amount, request_id, dropped: Some(self.dropped_holds.clone()) };
        loop {
            match self.db.in_time(place(&self.db, &hold, purpose, ttl)).await {
                Ok(Some(Placement { placed, available, seq })) => {
                    self.admission.update(account, available, seq);
                    drop(reservation);
                    if placed {
                        return Ok(hold);
                    }
                    hold.ended();
                    return Err(insufficient(amount, available));
                }
                Ok(None) => {
                    hold.ended();
                    return Err(Error::new(Code::NotFound, format!("no account {account}")));
                }
                // The hold may have been committed; the next attempt replaces it.
                Err(_) if start.elapsed() < COMMIT_TIMEOUT => tokio::time::sleep(COMMIT_RETRY).await,
                Err(fault) => return Err(fault.into()),
            }
        }
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

    /// Releases all expired holds; returns how many. Several replicas may do so at the same time.
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

/// The result of placing a hold, and the account's state then.
struct Placement {
    placed: bool,
    available: Amount,
    seq: i64,
}

/// Places a hold if the account can afford it, and replaces an earlier hold for the same request. None without such an
/// account.
async fn place(db: &Database, hold: &Hold, purpose: &str, ttl: Duration) -> Result<Option<Placement>, DbErr> {
    let tx = db.begin().await?;
    let account = hold.key.account.as_str();
    let Some(funds) = lock(&tx, [account]).await?.remove(account) else { return Ok(None) };
    let earlier = hold::Column::RequestId.eq(hold.request_id.as_str());
    let earlier = delete_holds(&tx, account, Condition::all().add(earlier)).await?.amount;
    let available = funds.balance - funds.held + earlier;
    let amount = hold.amount.milli();
    if available < amount {
        tx.rollback().await?;
        let available = Amount::from_milli(available);
        return Ok(Some(Placement { placed: false, available, seq: funds.seq }));
    }
    let sql = format!(
        "INSERT INTO hold (id, account_id, request_id, amount, purpose, expires_at, created_at) \
         VALUES ($1, $2, $3, $4, $5, {} + $6, $7)",
        db.now_ms()
    );
    let values = [
        hold.key.id.as_str().into(),
        account.into(),
        hold.request_id.as_str().into(),
        amount.into(),
        purpose.into(),
        i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX / 2).into(),
        chrono::Utc::now().into(),
    ];
    tx.execute_raw(Statement::from_sql_and_values(tx.get_database_backend(), sql, values)).await?;
    write_held(&tx, account, funds.held - earlier + amount).await?;
    tx.commit().await?;
    let available = Amount::from_milli(available - amount);
    Ok(Some(Placement { placed: true, available, seq: funds.seq }))
}
