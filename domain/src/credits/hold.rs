//! Durable holds: credits set aside in the database while somebody else works for money. Moves no balance: a hold ends
//! captured by its charge, released, or expired by the database's clock, whichever comes first.

use std::time::{Duration, Instant};

use entity::hold;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter,
    QuerySelect, Statement,
    sea_query::{Expr, ExprTrait},
};
use tokio::sync::mpsc;

use super::{
    Credits, Entry, Receipt,
    committer::{COMMIT_TIMEOUT, RETRY},
    entry::{HoldUse, insufficient},
    post::{lock, write_held},
};
use crate::{
    Code, Error, Result,
    amount::Amount,
    database::Database,
    id::{AccountId, HoldId, RequestId},
};

/// How long to wait before the release of a dropped hold is tried again.
const RELEASE_RETRY: Duration = Duration::from_millis(500);
/// Expired holds of one account that are given back in one commit.
const RELEASE_CHUNK: u64 = 1_000;

/// Credits set aside in the database for one request. Given back when dropped, as soon as the database answers; and by
/// [`expire_holds`] when this process is no more.
#[must_use]
#[derive(Debug)]
pub struct Hold {
    key: Key,
    amount: Amount,
    request_id: RequestId,
    /// Where it goes when it is dropped; none when it has ended.
    dropped: Option<mpsc::UnboundedSender<Key>>,
}

/// Which hold.
#[derive(Clone, Debug)]
pub(super) struct Key {
    id: HoldId,
    account: AccountId,
    /// From then on it is anybody's to give back.
    expires: Instant,
}

impl Hold {
    /// How much is held.
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
            // Fails only when the process is ending; then it expires.
            let _ = dropped.send(self.key.clone());
        }
    }
}

impl Credits {
    /// Sets `amount` aside for `ttl` in the database, where it outlives this process. A second hold for the same request
    /// takes the place of the first, as when a request is taken over from a process that died.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when less is available by the database, `INTERNAL_ERROR` when that stayed away; nothing
    /// stays held in either case.
    pub async fn hold(
        &self,
        account: &AccountId,
        amount: Amount,
        request_id: RequestId,
        purpose: &str,
        ttl: Duration,
    ) -> Result<Hold> {
        // So that what requests under way in this process may still take is not held too. A refusal is not the last word:
        // an earlier hold for the same request may be all that stands in the way.
        let reservation = match self.require(account, amount).await {
            Err(error) if error.code != Code::InsufficientCredits => return Err(error),
            asked => asked.ok(),
        };
        let start = Instant::now();
        let key = Key { id: HoldId::new(), account: account.clone(), expires: start + ttl };
        let hold = Hold { key, amount, request_id, dropped: Some(self.dropped_holds.clone()) };
        loop {
            match self.db.in_time(place(&self.db, &hold, purpose, ttl)).await {
                Ok(Placed { done, available, seq }) => {
                    self.admission.learn(account, available, seq);
                    drop(reservation);
                    if done {
                        return Ok(hold);
                    }
                    hold.ended();
                    return Err(insufficient(amount, available));
                }
                // It may be there all the same. The next try takes its place.
                Err(_) if start.elapsed() < COMMIT_TIMEOUT => tokio::time::sleep(RETRY).await,
                Err(fault) => return Err(fault.into()),
            }
        }
    }

    /// Charges for work that succeeded and ends its hold, in one commit; returns what is left. If the hold has expired
    /// meanwhile, the charge is made like any other.
    ///
    /// # Errors
    /// As [`Credits::charge`]; `INTERNAL_ERROR` for an entry of another request or beyond the hold. The hold is given
    /// back.
    pub async fn capture(&self, hold: Hold, mut entry: Entry) -> Result<Receipt> {
        let same = entry.request_id == hold.request_id && entry.account == hold.key.account;
        if !same || -entry.delta.milli() > hold.amount.milli() {
            return Err(Error::internal(format!("a hold does not cover the charge of {}", entry.request_id)));
        }
        entry.hold = HoldUse::Capture;
        let receipt = self.enqueue(entry).await?;
        self.admission.learn(&hold.key.account, receipt.remaining, receipt.seq);
        hold.ended();
        Ok(receipt)
    }

    /// Gives a hold back. One that has expired is no error.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer; it is given back later then.
    pub async fn release(&self, hold: Hold) -> Result<()> {
        self.db.in_time(give_back(&self.db, &hold.key.account, by_id(&hold.key))).await?;
        hold.ended();
        Ok(())
    }
}

/// Gives back all holds that have expired; returns how many. Every replica may do so at once.
///
/// # Errors
/// When the database does not answer.
pub async fn expire_holds(db: &Database) -> Result<u64> {
    let expired = || Condition::all().add(Expr::col(hold::Column::ExpiresAt).lte(Expr::cust(db.now_ms())));
    let accounts = hold::Entity::find().select_only().column(hold::Column::AccountId).distinct();
    let accounts: Vec<String> = db.in_time(accounts.filter(expired()).into_tuple().all(db.read())).await?;
    let mut given_back = 0;
    for account in accounts.into_iter().map(AccountId::from) {
        given_back += db.in_time(give_back(db, &account, expired())).await?;
    }
    metrics::counter!("gavel_holds_expired_total").increment(given_back);
    Ok(given_back)
}

/// Starts the task of this process that gives back holds that were dropped.
pub(super) fn start(db: Database) -> mpsc::UnboundedSender<Key> {
    let (dropped, mut queue) = mpsc::unbounded_channel::<Key>();
    tokio::spawn(async move {
        while let Some(key) = queue.recv().await {
            while Instant::now() < key.expires
                && db.in_time(give_back(&db, &key.account, by_id(&key))).await.is_err()
            {
                tokio::time::sleep(RELEASE_RETRY).await;
            }
        }
    });
    dropped
}

/// What came of placing a hold, and the account's state then.
struct Placed {
    done: bool,
    available: Amount,
    seq: i64,
}

/// Places a hold in the place of an earlier one for the same request, if it can be afforded.
async fn place(db: &Database, hold: &Hold, purpose: &str, ttl: Duration) -> Result<Placed, DbErr> {
    let tx = db.begin().await?;
    let account = hold.key.account.as_str();
    let funds = lock(&tx, [account]).await?.remove(account);
    let funds = funds.ok_or_else(|| DbErr::RecordNotFound(format!("account {account}")))?;
    let earlier = hold::Column::RequestId.eq(hold.request_id.as_str());
    let earlier = take(&tx, account, Condition::all().add(earlier)).await?.amount;
    let (available, amount) = (funds.balance - funds.held + earlier, hold.amount.milli());
    if available < amount {
        tx.rollback().await?;
        return Ok(Placed { done: false, available: Amount::from_milli(available), seq: funds.seq });
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
    Ok(Placed { done: true, available: Amount::from_milli(available - amount), seq: funds.seq })
}

/// Ends those holds of an account that meet a condition, without a charge; returns how many.
async fn give_back(db: &Database, account: &AccountId, which: Condition) -> Result<u64, DbErr> {
    let tx = db.begin().await?;
    let account = account.as_str();
    let Some(funds) = lock(&tx, [account]).await?.remove(account) else { return Ok(0) };
    let taken = take(&tx, account, which).await?;
    if taken.holds > 0 {
        write_held(&tx, account, funds.held - taken.amount).await?;
    }
    tx.commit().await?;
    Ok(taken.holds)
}

/// Holds that were deleted and still count in `account.held`.
pub(super) struct Taken {
    pub(super) holds: u64,
    pub(super) amount: i64,
}

/// Deletes those holds of an account that meet a condition. The account must be locked.
pub(super) async fn take(tx: &DatabaseTransaction, account: &str, which: Condition) -> Result<Taken, DbErr> {
    let holds = hold::Entity::find().filter(hold::Column::AccountId.eq(account)).filter(which);
    let holds = holds.limit(RELEASE_CHUNK).all(tx).await?;
    if !holds.is_empty() {
        let ids = holds.iter().map(|hold| hold.id.as_str());
        hold::Entity::delete_many().filter(hold::Column::Id.is_in(ids)).exec(tx).await?;
    }
    let amount = holds.iter().map(|hold| hold.amount).sum();
    Ok(Taken { holds: holds.len() as u64, amount })
}

fn by_id(key: &Key) -> Condition {
    Condition::all().add(hold::Column::Id.eq(key.id.as_str()))
}
