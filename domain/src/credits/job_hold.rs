//! Holds that jobs own. One is placed in the transaction that writes the job, is spent in parts while the job runs, in
//! whichever process that is, and ends with the job's terminal state; no clock ends it.

use std::sync::Arc;

use entity::hold;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, DatabaseTransaction, EntityTrait, sea_query::OnConflict,
};

use super::{
    Credits, Entry, Receipt, Reservation,
    admission::Admission,
    entry::{HoldUse, insufficient},
    hold::take,
    post::{lock, write_held},
};
use crate::{
    Code, Error, Result,
    amount::Amount,
    id::{AccountId, HoldId, JobId},
};

/// What a job sets aside.
#[derive(Clone, Debug)]
pub struct JobHold {
    /// The account that pays.
    pub account: AccountId,
    /// The job; it has one hold at most.
    pub job: JobId,
    /// The most that the job may spend.
    pub amount: Amount,
    /// What it is for, for operators.
    pub purpose: &'static str,
}

/// Keeps this process from admitting requests that a hold leaves no credits for, until the hold's transaction has ended. To
/// be dropped then.
#[must_use]
pub struct PendingJobHold {
    admission: Arc<Admission>,
    account: AccountId,
    _reservation: Reservation,
}

impl Drop for PendingJobHold {
    fn drop(&mut self) {
        self.admission.forget(&self.account);
    }
}

impl Credits {
    /// Places a job's hold on the transaction that writes the job.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when less is available; `NOT_FOUND` without such an account; `CONFLICT` when the job has a
    /// hold. The transaction should be rolled back then.
    pub async fn hold_for_job(&self, tx: &DatabaseTransaction, new: JobHold) -> Result<PendingJobHold> {
        let JobHold { account, job, amount, purpose } = new;
        let reservation = self.require(&account, amount).await?;
        let funds = lock(tx, [account.as_str()]).await?.remove(account.as_str());
        let funds = funds.ok_or_else(|| Error::new(Code::NotFound, format!("no account {account}")))?;
        let available = funds.balance - funds.held;
        if available < amount.milli() {
            return Err(insufficient(amount, Amount::from_milli(available)));
        }
        let row = hold::ActiveModel {
            id: Set(HoldId::new().into()),
            account_id: Set(account.to_string()),
            request_id: Set(job.to_string()),
            amount: Set(amount.milli()),
            purpose: Set(purpose.to_owned()),
            expires_at: Set(i64::MAX),
            created_at: Set(chrono::Utc::now()),
        };
        let once = OnConflict::column(hold::Column::RequestId).do_nothing().to_owned();
        let written = hold::Entity::insert(row).on_conflict(once).exec_without_returning(tx).await?;
        if written == 0 {
            return Err(Error::new(Code::Conflict, format!("{job} has a hold")));
        }
        write_held(tx, account.as_str(), funds.held + amount.milli()).await?;
        Ok(PendingJobHold { admission: self.admission.clone(), account, _reservation: reservation })
    }

    /// Charges a part of a job's work against its hold. The same request id is charged once, whichever process asks.
    ///
    /// # Errors
    /// `CONFLICT` once the job's hold has ended; `INSUFFICIENT_CREDITS` for more than the hold has left; `INTERNAL_ERROR` when
    /// the database stayed away. Nothing is charged then.
    pub async fn charge_job(&self, job: &JobId, entry: Entry) -> Result<Receipt> {
        self.spend(HoldUse::Part(job.clone()), entry).await
    }

    /// Charges the last part of a job's work and releases what its hold has left, in one commit. Side rows of the entry can
    /// write the job's terminal state in the same commit.
    ///
    /// # Errors
    /// As [`Credits::charge_job`].
    pub async fn charge_job_and_end(&self, job: &JobId, entry: Entry) -> Result<Receipt> {
        self.spend(HoldUse::Last(job.clone()), entry).await
    }

    async fn spend(&self, hold: HoldUse, mut entry: Entry) -> Result<Receipt> {
        entry.hold = hold;
        let account = entry.account.clone();
        let receipt = self.enqueue(entry).await?;
        self.admission.learn(&account, receipt.remaining, receipt.seq);
        Ok(receipt)
    }

    /// Releases what a job's hold has left, on the transaction that writes the job's terminal state; returns how much. A
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
        let taken = take(tx, account, Condition::all().add(hold::Column::RequestId.eq(job.as_str()))).await?;
        if taken.holds > 0 {
            write_held(tx, account, funds.held - taken.amount).await?;
        }
        Ok(Amount::from_milli(taken.amount))
    }
}
