//! The group committer: one task per process. While one commit is in progress, the next group collects.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Instant};

use entity::account;
use futures_util::FutureExt;
use sea_orm::{DbErr, EntityTrait};
use tokio::{
    sync::{mpsc, oneshot},
    task::AbortHandle,
};
use tracing::{Instrument as _, Span};

use super::{
    DoubtJournal, LedgerEntry, Receipt, Reservation, SideTables,
    admission::{Admission, Admitted, SETTLE_TIMEOUT},
    entry::{PostOutcome, insufficient},
    group::{QueuedEntry, WaitingEntries},
    place::{self, QueuedHold},
    post::post,
    release, resolver,
    retry::{COMMIT_RETRY, COMMIT_TIMEOUT},
};
use crate::{
    Code, Error, Result,
    foundation::{
        database::Database,
        events::{Event, Events},
        shared_reads::SharedReads,
        unwritable::is_unwritable,
    },
    money::amount::Amount,
};
use ports::id::AccountId;

/// Entries that the queue holds; further senders wait.
const QUEUE_CAPACITY: usize = 16_384;

/// Admits work that can be paid for, holds credits for it, and charges for it. Cheap to clone.
#[derive(Clone)]
pub struct Credits {
    pub(super) db: Database,
    pub(super) admission: Arc<Admission>,
    /// Of the credits available, with the number of the account's last ledger row.
    reads: Arc<SharedReads<AccountId, (Amount, i64)>>,
    pub(super) new_holds: mpsc::Sender<QueuedHold>,
    pub(super) dropped_holds: mpsc::UnboundedSender<release::HoldKey>,
    events: Events,
    side_tables: SideTables,
    queue: mpsc::Sender<QueuedEntry>,
    resolver: resolver::Resolver,
    /// The committer, the resolver and the tasks that place and release holds.
    tasks: Arc<[AbortHandle]>,
}

impl Credits {
    /// Starts the committer of this process. `side_tables` own the rows that may accompany charges; without a `journal`
    /// charges in doubt are kept only in memory.
    pub fn start(
        db: Database,
        events: Events,
        side_tables: SideTables,
        journal: Option<DoubtJournal>,
    ) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE_CAPACITY);
        let (resolver, resolving) = resolver::start(db.clone(), side_tables.clone(), journal);
        let ledger = LedgerWriter { db: db.clone(), side_tables: side_tables.clone() };
        let committing = tokio::spawn(run(ledger, waiting, resolver.clone())).abort_handle();
        let admission = Arc::<Admission>::default();
        let (new_holds, placing) = place::start(db.clone(), admission.clone());
        let (dropped_holds, releasing) = release::start(db.clone());
        let tasks = Arc::new([committing, resolving, placing, releasing]);
        Self {
            new_holds,
            dropped_holds,
            db,
            admission,
            reads: Arc::default(),
            events,
            side_tables,
            queue,
            resolver,
            tasks,
        }
    }

    /// Whether the tasks run that commit charges, resolve doubts, and place and release holds.
    pub fn is_running(&self) -> bool {
        !self.tasks.iter().any(AbortHandle::is_finished)
    }

    /// Waits until no charge is in doubt; one that is left is in the journal.
    pub async fn doubts_resolved(&self) {
        self.resolver.drained().await;
    }

    /// Reserves `amount` for work about to begin.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when the balance, read from the database, is lower.
    pub async fn require(&self, account: &AccountId, amount: Amount) -> Result<Reservation> {
        loop {
            match self.admission.reserve(account, amount) {
                Admitted::Reserved(reservation) => return Ok(reservation),
                Admitted::Contended(settled) => {
                    if tokio::time::timeout(SETTLE_TIMEOUT, settled).await.is_ok() {
                        continue;
                    }
                }
                Admitted::Unknown => {}
            }
            let (available, seq) = Box::pin(self.reads.get(account, self.read(account))).await?;
            self.admission.update(account, available, seq);
            if available < amount {
                return Err(insufficient(amount, available));
            }
        }
    }

    /// Requires a balance of `amount`, and reserves nothing.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when the balance, read from the database, is lower.
    pub(crate) async fn require_balance(&self, account: &AccountId, amount: Amount) -> Result<()> {
        if self.admission.is_known_to_have(account, amount) {
            return Ok(());
        }
        let (available, seq) = Box::pin(self.reads.get(account, self.read(account))).await?;
        self.admission.update(account, available, seq);
        if available < amount { Err(insufficient(amount, available)) } else { Ok(()) }
    }

    /// Charges for successful work; returns the receipt.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` when another replica spent the credits meanwhile; `INTERNAL_ERROR` when the database does
    /// not answer. No charge remains in either case.
    pub async fn charge(&self, reservation: Reservation, entry: LedgerEntry) -> Result<Receipt> {
        let receipt = self.enqueue(entry).await?;
        reservation.settle(receipt.remaining, receipt.seq);
        Ok(receipt)
    }

    /// Posts an entry with the next group.
    pub(super) async fn enqueue(&self, entry: LedgerEntry) -> Result<Receipt> {
        let account = entry.account.clone();
        let kind = entry.kind.as_str();
        let (reply, answer) = oneshot::channel();
        let side_rows = entry.side_rows.clone();
        let bytes = self.side_tables.bytes(&side_rows);
        let waiting = QueuedEntry { bytes, entry, since: Instant::now(), reply, span: Span::current() };
        self.queue.send(waiting).await.map_err(Error::internal)?;
        let receipt = answer.await.map_err(Error::internal)?;
        if matches!(&receipt, Err(error) if error.code == Code::InsufficientCredits) {
            self.admission.invalidate(&account);
        }
        if let Ok(receipt) = &receipt {
            let moved = receipt.deducted.milli().unsigned_abs();
            metrics::counter!("gavel_millicredits_total", "kind" => kind).increment(moved);
            self.side_tables.announce(&account, &side_rows);
            self.events.publish(Event::Balance { account });
        }
        receipt
    }

    /// The credits that an account can spend: its balance less its holds.
    ///
    /// # Errors
    /// `NOT_FOUND` for an account that does not exist; `INTERNAL_ERROR` when the database does not answer.
    pub(crate) async fn available(&self, account: &AccountId) -> Result<Amount> {
        Ok(self.read(account).await?.0)
    }

    async fn read(&self, account: &AccountId) -> Result<(Amount, i64)> {
        let row = self.db.in_time(account::Entity::find_by_id(account.as_str()).one(self.db.read())).await?;
        let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("there is no account {account}")))?;
        Ok((Amount::from_milli(row.balance - row.held), row.ledger_seq))
    }
}

/// The database and side tables that groups are committed to.
struct LedgerWriter {
    db: Database,
    side_tables: SideTables,
}

/// Collects groups and commits them, until the last `Credits` is dropped.
async fn run(ledger: LedgerWriter, mut queue: mpsc::Receiver<QueuedEntry>, resolver: resolver::Resolver) {
    let mut waiting = WaitingEntries::default();
    while queue.recv_many(waiting.entries(), QUEUE_CAPACITY).await > 0 {
        while let Some(group) = waiting.next_group() {
            metrics::histogram!("gavel_charge_group_size").record(group.len() as f64);
            let span = commit_span(&group);
            settle(&ledger, group, false, &resolver).instrument(span).await;
            waiting.committed();
            while let Ok(entry) = queue.try_recv() {
                waiting.entries().push(entry);
            }
        }
    }
}

/// The span of a commit, which is linked to those that wait for it; disabled if none of them is recorded.
fn commit_span(group: &[QueuedEntry]) -> Span {
    if group.iter().all(|waiting| waiting.span.is_disabled()) {
        return Span::none();
    }
    let span = tracing::info_span!(parent: None, "commit", entries = group.len());
    for waiting in group {
        span.follows_from(&waiting.span);
    }
    span
}

/// Commits a group, with retries. After a fault it retries the whole group, looking up first what did commit. If the
/// database answers but refuses the group, it commits entry by entry, so that one bad row fails no other entry. If the
/// database cannot be written, the whole group fails at once. `again` says that the entries may have been committed
/// before.
async fn settle(
    ledger: &LedgerWriter,
    group: Vec<QueuedEntry>,
    mut again: bool,
    resolver: &resolver::Resolver,
) {
    let (entries, mut waiting): (Vec<LedgerEntry>, Vec<_>) =
        group.into_iter().map(|one| (one.entry, (one.since, one.reply))).unzip();
    loop {
        // A panic is treated like other failures: it fails the entry that caused it, and the task continues.
        let committed = AssertUnwindSafe(ledger.commit(&entries, again)).catch_unwind().await;
        let fault = match committed.unwrap_or_else(|_| Err(DbErr::Custom("a commit panicked".to_owned()))) {
            Ok(outcomes) => {
                for ((entry, (_, reply)), outcome) in entries.iter().zip(waiting).zip(outcomes) {
                    // Fails if the client has disconnected. It is charged nevertheless, because the work was done.
                    let _ = reply.send(outcome.receipt(entry));
                }
                return;
            }
            Err(fault) => fault,
        };
        tracing::warn!(entries = entries.len(), again, error = %fault, "a group of charges failed");
        let late = waiting.iter().all(|(since, _)| since.elapsed() > COMMIT_TIMEOUT);
        let unwritable = is_unwritable(&fault);
        let refused = unwritable || (again && !late && ledger.db.in_time(ledger.db.ping()).await.is_ok());
        again = true;
        if refused && !unwritable && entries.len() > 1 {
            for (entry, (since, reply)) in entries.into_iter().zip(waiting) {
                let alone = vec![QueuedEntry { entry, bytes: 0, since, reply, span: Span::none() }];
                Box::pin(settle(ledger, alone, true, resolver)).await;
            }
            return;
        }
        if refused || waiting.iter().all(|(since, _)| since.elapsed() > COMMIT_TIMEOUT) {
            let error = Error::from(fault);
            // No client was told that a job was not charged: its next run repeats the charge, and finds out.
            let asked: Vec<LedgerEntry> = entries.into_iter().filter(|entry| entry.job().is_none()).collect();
            resolver.undo(&asked).await;
            for (_, reply) in waiting.drain(..) {
                let _ = reply.send(Err(error.copy()));
            }
            return;
        }
        tokio::time::sleep(COMMIT_RETRY).await;
    }
}

impl LedgerWriter {
    /// One transaction around [`post`].
    async fn commit(&self, entries: &[LedgerEntry], again: bool) -> Result<Vec<PostOutcome>, DbErr> {
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
