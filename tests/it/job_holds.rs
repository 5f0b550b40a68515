//! Holds of jobs, through the domain's own interface: placed with the job, spent in parts by any process that
//! runs it, and ended once.

use domain::{
    Code,
    foundation::{database::Database, events::Events},
    money::{
        amount::Amount,
        credits::{Credits, EntryKind, JobHold, LedgerEntry, Receipt, SideTables},
    },
};
use ports::id::{AccountId, JobId, RequestId};
use tokio::task::JoinSet;

use crate::{
    harness::{Db, inv, on_both},
    holds::funds,
};

/// A worker process and a job that it runs.
#[derive(Clone)]
struct Worker {
    db: Database,
    credits: Credits,
    account: AccountId,
    job: JobId,
}

impl Worker {
    async fn start(url: &str, account: &str, job: &JobId) -> Self {
        let db = Database::connect(url, 8).await.unwrap();
        let credits = Credits::start(db.clone(), Events::start(db.clone()), SideTables::default(), None);
        Self { db, credits, account: AccountId::from(account.to_owned()), job: job.clone() }
    }

    fn new_hold(&self, milli: i64) -> JobHold {
        let account = self.account.clone();
        let job = self.job.clone();
        JobHold { account, job, amount: Amount::from_milli(milli), purpose: "a test" }
    }

    /// Places the job's hold in its own transaction, and commits it.
    async fn hold(&self, milli: i64) -> domain::Result<()> {
        let pending = self.credits.prepare_job_hold(self.new_hold(milli)).await?;
        let tx = self.db.begin().await?;
        pending.place(&tx).await?;
        Ok(tx.commit().await?)
    }

    fn entry(&self, request: &RequestId, milli: i64) -> LedgerEntry {
        let cost = Amount::from_milli(-milli);
        let mut entry = LedgerEntry::new(self.account.clone(), request.clone(), EntryKind::Charge, cost);
        entry.reference = Some(format!("result of {request}"));
        entry
    }

    async fn charge(&self, request: &RequestId, milli: i64) -> domain::Result<Receipt> {
        self.credits.charge_job(&self.job, self.entry(request, milli)).await
    }

    async fn end(&self) -> i64 {
        let tx = self.db.begin().await.unwrap();
        let released = self.credits.end_job_hold(&tx, &self.account, &self.job).await.unwrap();
        tx.commit().await.unwrap();
        released.milli()
    }
}

fn code<T>(result: domain::Result<T>) -> Code {
    result.err().expect("a refusal").code
}

async fn a_job_spends_its_hold_in_parts_and_the_rest_is_released_once(db: Db) {
    let account = db.account(10).await;
    let worker = Worker::start(db.url(), &account.id, &JobId::new()).await;
    worker.hold(6_000).await.unwrap();
    assert_eq!(funds(&db, &account).await, (10_000, 6_000));
    assert_eq!(code(worker.hold(1_000).await), Code::Conflict, "a job has one hold");
    let [first, second] = [RequestId::new(), RequestId::new()];
    assert_eq!(worker.charge(&first, 2_500).await.unwrap().remaining.milli(), 4_000);
    assert_eq!(worker.charge(&second, 500).await.unwrap().remaining.milli(), 4_000);
    assert_eq!(funds(&db, &account).await, (7_000, 3_000));
    assert_eq!(code(worker.charge(&RequestId::new(), 3_001).await), Code::InsufficientCredits);
    assert_eq!((worker.end().await, worker.end().await), (3_000, 0), "a hold ends once");
    assert_eq!(funds(&db, &account).await, (7_000, 0));
    // A worker that was considered dead gets a conflict, and its earlier charges stay.
    assert_eq!(code(worker.charge(&RequestId::new(), 1).await), Code::Conflict);
    assert_eq!(worker.charge(&first, 2_500).await.unwrap().deducted.milli(), 2_500);
    assert_eq!(funds(&db, &account).await, (7_000, 0));
    assert_eq!(inv::charges(&db, &account.id).await.len(), 2);
}

async fn the_last_part_ends_the_hold_in_the_same_commit(db: Db) {
    let account = db.account(10).await;
    let worker = Worker::start(db.url(), &account.id, &JobId::new()).await;
    worker.hold(5_000).await.unwrap();
    let last = worker.entry(&RequestId::new(), 4_000);
    let receipt = worker.credits.charge_job_and_end(&worker.job, last.clone()).await.unwrap();
    assert_eq!((receipt.deducted.milli(), receipt.remaining.milli()), (4_000, 6_000));
    assert_eq!(funds(&db, &account).await, (6_000, 0));
    assert_eq!(worker.end().await, 0);
    // A retry after a lost answer makes no second charge.
    assert_eq!(worker.credits.charge_job_and_end(&worker.job, last).await.unwrap().seq, receipt.seq);
    assert_eq!(funds(&db, &account).await, (6_000, 0));
}

async fn the_hold_of_a_job_survives_its_process_and_every_sweep(db: Db) {
    let account = db.account(10).await;
    let job = JobId::new();
    Worker::start(db.url(), &account.id, &job).await.hold(6_000).await.unwrap();
    let other = Worker::start(db.url(), &account.id, &job).await;
    assert_eq!(other.credits.expire_holds().await.unwrap(), 0);
    assert_eq!(
        code(other.credits.require(&other.account, Amount::from_milli(4_001)).await),
        Code::InsufficientCredits
    );
    assert_eq!(other.charge(&RequestId::new(), 6_000).await.unwrap().remaining.milli(), 4_000);
    assert_eq!(other.end().await, 0);
    assert_eq!(funds(&db, &account).await, (4_000, 0));
}

async fn a_hold_without_sufficient_credits_writes_nothing(db: Db) {
    let account = db.account(1).await;
    let worker = Worker::start(db.url(), &account.id, &JobId::new()).await;
    assert_eq!(code(worker.hold(1_001).await), Code::InsufficientCredits);
    assert_eq!(code(worker.charge(&RequestId::new(), 1).await), Code::Conflict, "there is no hold to spend");
    // A rolled-back transaction leaves no hold.
    let pending = worker.credits.prepare_job_hold(worker.new_hold(1_000)).await.unwrap();
    let tx = worker.db.begin().await.unwrap();
    pending.place(&tx).await.unwrap();
    tx.rollback().await.unwrap();
    drop(pending);
    assert_eq!(funds(&db, &account).await, (1_000, 0));
    worker.hold(1_000).await.unwrap();
    assert_eq!(funds(&db, &account).await, (1_000, 1_000));
}

/// Two processes charge the same twenty parts, and one ends the job meanwhile.
async fn two_workers_with_one_job_charge_each_part_once(db: Db) {
    let account = db.account(20).await;
    let job = JobId::new();
    let one = Worker::start(db.url(), &account.id, &job).await;
    let two = Worker::start(db.url(), &account.id, &job).await;
    one.hold(10_000).await.unwrap();
    let parts: Vec<RequestId> = (0..20).map(|_| RequestId::new()).collect();
    let mut charges = JoinSet::new();
    for (number, worker) in [&one, &two].into_iter().enumerate() {
        for (place, part) in parts.iter().cloned().enumerate() {
            let worker = worker.clone();
            charges.spawn(async move {
                if number == 0 && place == 12 {
                    worker.end().await;
                }
                worker.charge(&part, 500).await.map(|receipt| receipt.seq).map_err(|error| error.code)
            });
        }
    }
    let outcomes = charges.join_all().await;
    one.end().await;
    let charged = inv::charges(&db, &account.id).await.len();
    let seqs: std::collections::BTreeSet<i64> =
        outcomes.iter().filter_map(|one| one.as_ref().ok().copied()).collect();
    assert_eq!(seqs.len(), charged, "each success is the charge of one part");
    assert!(outcomes.iter().all(|one| one.is_ok() || *one == Err(Code::Conflict)), "{outcomes:?}");
    assert_eq!(funds(&db, &account).await, (20_000 - 500 * charged as i64, 0));
}

on_both!(
    a_job_spends_its_hold_in_parts_and_the_rest_is_released_once,
    the_last_part_ends_the_hold_in_the_same_commit,
    the_hold_of_a_job_survives_its_process_and_every_sweep,
    a_hold_without_sufficient_credits_writes_nothing,
    two_workers_with_one_job_charge_each_part_once,
);
