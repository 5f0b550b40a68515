//! Holds owned by jobs. A job's hold is placed in the transaction that writes the job, is spent in parts by any process
//! while the job runs, and ends with the job's terminal state. It does not expire.

use std::sync::Arc;

use entity::hold;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, DatabaseTransaction, EntityTrait, sea_query::OnConflict,
};

use super::{
    Credits, LedgerEntry, Receipt, Reservation,
    admission::Admission,
    entry::{HoldUse, insufficient},
    post::{lock, write_held},
    release::delete_holds,
};
use crate::{Code, Error, Result, money::amount::Amount};
use ports::id::{AccountId, HoldId, JobId};

/// A hold to be placed for a job.
#[derive(Clone, Debug)]
pub struct JobHold {
    /// The account that is charged.
    pub account: AccountId,
    /// The job, which has at most one hold.
    pub job: JobId,
    /// The maximum that the job may spend.
    pub amount: Amount,
    /// The purpose, for operators.
    pub purpose: &'static str,
}

/// Credits that this process keeps back for a job's hold, which is still to be placed. Must be dropped once the hold's
/// transaction has ended.
#[must_use]
pub struct PendingJobHold {
    new: JobHold,
    admission: Arc<Admission>,
    _reservation: Reservation,
}

impl Drop for PendingJobHold {
    fn drop(&mut self) {
        self.admission.invalidate(&self.new.account);
    }
}

impl PendingJobHold {
    /// Places the hold on the transaction that writes the job.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when fewer credits are available; `NOT_FOUND` for an unknown account; `CONFLICT` when the
    /// job has a hold already. The transaction should then be rolled back.
    pub async fn place(&self, tx: &DatabaseTransaction) -> Result<()> {
        let JobHold { account, job, amount, purpose } = &self.new;
        let funds = lock(tx, [account.as_str()]).await?.remove(account.as_str());
        let funds =
            funds.ok_or_else(|| Error::new(Code::NotFound, format!("there is no account {account}")))?;
        let available = Amount::from_milli(funds.balance - funds.held);
        if available < *amount {
            return Err(insufficient(*amount, available));
        }
        let row = hold::ActiveModel {
            id: Set(HoldId::new().into()),
            account_id: Set(account.to_string()),
            request_id: Set(job.to_string()),
            amount: Set(amount.milli()),
            purpose: Set((*purpose).to_owned()),
            expires_at: Set(i64::MAX),
            created_at: Set(chrono::Utc::now()),
        };
        let once = OnConflict::column(hold::Column::RequestId).do_nothing().to_owned();
        let written = hold::Entity::insert(row).on_conflict(once).exec_without_returning(tx).await?;
        if written == 0 {
            return Err(Error::new(Code::Conflict, format!("{job} has a hold")));
        }
        Ok(write_held(tx, account.as_str(), funds.held + amount.milli()).await?)
    }
}

impl Credits {
    /// Keeps back what a job is to hold. Called before the transaction begins that places the hold: this may wait for
    /// charges of other requests, which on SQLite wait for that transaction.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when fewer credits are available.
    pub async fn prepare_job_hold(&self, new: JobHold) -> Result<PendingJobHold> {
        let reservation = self.require(&new.account, new.amount).await?;
        Ok(PendingJobHold { new, admission: self.admission.clone(), _reservation: reservation })
    }

    /// Charges a part of a job's work against its hold. A request id is charged once, even when several processes send
    /// it.
    ///
    /// # Errors
    /// `CONFLICT` once the job's hold has ended; `INSUFFICIENT_CREDITS` when the entry exceeds the rest of the hold;
    /// `INTERNAL_ERROR` when the database does not answer. Nothing is charged then.
    pub async fn charge_job(&self, job: &JobId, entry: LedgerEntry) -> Result<Receipt> {
        self.spend(HoldUse::Part(job.clone()), entry).await
    }

    /// Charges the last part of a job's work and releases the rest of its hold, in one commit. Side rows of the entry
    /// can write the job's terminal state in the same commit.
    ///
    /// # Errors
    /// As [`Credits::charge_job`].
    pub async fn charge_job_and_end(&self, job: &JobId, entry: LedgerEntry) -> Result<Receipt> {
        self.spend(HoldUse::Last(job.clone()), entry).await
    }

    async fn spend(&self, hold: HoldUse, mut entry: LedgerEntry) -> Result<Receipt> {
        entry.hold = hold;
        let account = entry.account.clone();
        let receipt = self.enqueue(entry).await?;
        self.admission.update(&account, receipt.remaining, receipt.seq);
        Ok(receipt)
    }

    /// Releases the rest of a job's hold on the transaction that writes the job's terminal state; returns the amount. A
    /// hold that has ended releases nothing.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn end_job_hold(
        &self,
        tx: &DatabaseTransaction,
        account: &AccountId,
        job: &JobId,
    ) -> Result<Amount> {
        let account = account.as_str();
        let Some(funds) = lock(tx, [account]).await?.remove(account) else { return Ok(Amount::default()) };
        let deleted =
            delete_holds(tx, account, Condition::all().add(hold::Column::RequestId.eq(job.as_str()))).await?;
        if deleted.holds > 0 {
            write_held(tx, account, funds.held - deleted.amount).await?;
        }
        Ok(Amount::from_milli(deleted.amount))
    }
}
