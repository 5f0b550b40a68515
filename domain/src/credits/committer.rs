//! The group committer: one task a process. While one commit is under way, the next group gathers.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use entity::account;
use sea_orm::{DbErr, EntityTrait};
use tokio::sync::{mpsc, oneshot};

use super::{
    Entry, Receipt, Reservation, SideTables,
    admission::{Admission, Admitted, SETTLE_TIMEOUT},
    entry::{Outcome, insufficient},
    hold,
    post::post,
    resolver,
};
use crate::{
    Code, Error, Result,
    amount::Amount,
    database::Database,
    events::{Event, Events},
    id::AccountId,
};

/// Entries in one commit at most.
const GROUP: usize = 256;
/// Entries that may wait for the committer before more are refused.
const QUEUE: usize = 16_384;
/// How long an entry is tried while the database does not answer.
pub(super) const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait before it is tried again.
pub(super) const RETRY: Duration = Duration::from_millis(50);

/// Admits work that can be paid for, holds credits for it, and charges for it. Cheap to clone.
#[derive(Clone)]
pub struct Credits {
    pub(super) db: Database,
    pub(super) admission: Arc<Admission>,
    pub(super) dropped_holds: mpsc::UnboundedSender<hold::Key>,
    events: Events,
    side_tables: SideTables,
    queue: mpsc::Sender<Waiting>,
}

/// An entry in the queue and who waits for it.
struct Waiting {
    entry: Entry,
    since: Instant,
    reply: oneshot::Sender<Result<Receipt>>,
}

impl Credits {
    /// Starts the committer of this process. `side_tables` own the rows that may come with charges.
    pub fn start(db: Database, events: Events, side_tables: SideTables) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let resolver = resolver::start(db.clone(), side_tables.clone());
        tokio::spawn(run(Ledger { db: db.clone(), side_tables: side_tables.clone() }, waiting, resolver));
        let dropped_holds = hold::start(db.clone());
        Self { dropped_holds, db, admission: Arc::default(), events, side_tables, queue }
    }

    /// Sets `amount` aside for work about to begin.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when the balance, read from the database, is lower.
    pub async fn require(&self, account: &AccountId, amount: Amount) -> Result<Reservation> {
        loop {
            match self.admission.ask(account, amount) {
                Admitted::Reserved(reservation) => return Ok(reservation),
                Admitted::Contended(settled) => {
                    if tokio::time::timeout(SETTLE_TIMEOUT, settled).await.is_ok() {
                        continue;
                    }
                }
                Admitted::Unknown => {}
            }
            let (available, seq) = self.read(account).await?;
            self.admission.learn(account, available, seq);
            if available < amount {
                return Err(insufficient(amount, available));
            }
        }
    }

    /// Charges for work that succeeded and returns what is left.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when another replica spent the credits meanwhile, `INTERNAL_ERROR` when the database
    /// stayed away; nothing stays charged in either case.
    pub async fn charge(&self, reservation: Reservation, entry: Entry) -> Result<Receipt> {
        let receipt = self.enqueue(entry).await?;
        reservation.settle(receipt.remaining, receipt.seq);
        Ok(receipt)
    }

    /// Has an entry posted with the next group.
    pub(super) async fn enqueue(&self, entry: Entry) -> Result<Receipt> {
        let (account, (reply, answer)) = (entry.account.clone(), oneshot::channel());
        let side_rows = entry.side_rows.clone();
        let waiting = Waiting { entry, since: Instant::now(), reply };
        self.queue.send(waiting).await.map_err(Error::internal)?;
        let receipt = answer.await.map_err(Error::internal)?;
        if matches!(&receipt, Err(error) if error.code == Code::InsufficientCredits) {
            self.admission.forget(&account);
        }
        if receipt.is_ok() {
            for (row, table) in
                side_rows.iter().flat_map(|row| self.side_tables.iter().map(move |table| (row, table)))
            {
                table.announce(&account, row);
            }
            self.events.publish(Event::Balance { account });
        }
        receipt
    }

    async fn read(&self, account: &AccountId) -> Result<(Amount, i64)> {
        let row = self.db.in_time(account::Entity::find_by_id(account.as_str()).one(self.db.read())).await?;
        let row = row.ok_or_else(|| Error::internal(format!("account {account} is gone")))?;
        Ok((Amount::from_milli(row.balance - row.held), row.ledger_seq))
    }
}

/// Where groups are committed to.
struct Ledger {
    db: Database,
    side_tables: SideTables,
}

/// Gathers groups and settles them, until the last `Credits` is dropped.
async fn run(ledger: Ledger, mut queue: mpsc::Receiver<Waiting>, resolver: resolver::Resolver) {
    let mut group = Vec::with_capacity(GROUP);
    while queue.recv_many(&mut group, GROUP).await > 0 {
        metrics::histogram!("gavel_charge_group_size").record(group.len() as f64);
        settle(&ledger, std::mem::take(&mut group), false, &resolver).await;
    }
}

/// Commits a group, whatever it takes: together; after a fault together again, looking up first what did commit;
/// and if the database answers but refuses the group, one by one, so that one bad row fails nobody else. `again` says
/// that they may have been committed before.
async fn settle(ledger: &Ledger, group: Vec<Waiting>, mut again: bool, resolver: &resolver::Resolver) {
    let (entries, mut waiting): (Vec<Entry>, Vec<_>) =
        group.into_iter().map(|one| (one.entry, (one.since, one.reply))).unzip();
    loop {
        let fault = match ledger.commit(&entries, again).await {
            Ok(outcomes) => {
                for ((entry, (_, reply)), outcome) in entries.iter().zip(waiting).zip(outcomes) {
                    // A client that is gone was charged all the same: the work was done for it.
                    let _ = reply.send(outcome.receipt(entry));
                }
                return;
            }
            Err(fault) => fault,
        };
        tracing::warn!(entries = entries.len(), again, error = %fault, "a group of charges failed");
        let late = || waiting.iter().all(|(since, _)| since.elapsed() > COMMIT_TIMEOUT);
        let refused = again && !late() && ledger.db.in_time(ledger.db.ping()).await.is_ok();
        again = true;
        if refused && entries.len() > 1 {
            for (entry, (since, reply)) in entries.into_iter().zip(waiting) {
                Box::pin(settle(ledger, vec![Waiting { entry, since, reply }], true, resolver)).await;
            }
            return;
        }
        if refused || late() {
            let message = fault.to_string();
            for (entry, (_, reply)) in entries.into_iter().zip(waiting.drain(..)) {
                resolver.undo(entry);
                let _ = reply.send(Err(Error::internal(message.clone())));
            }
            return;
        }
        tokio::time::sleep(RETRY).await;
    }
}

impl Ledger {
    /// One transaction around [`post`].
    async fn commit(&self, entries: &[Entry], again: bool) -> Result<Vec<Outcome>, DbErr> {
        self.db
            .in_time(async {
                let tx = self.db.begin().await?;
                let outcomes = post(&tx, entries, again, &self.side_tables).await?;
                tx.commit().await?;
                Ok(outcomes)
            })
            .await
    }
}
