//! Resolves charges in doubt: a commit with an unknown result whose client was answered 500. When the database is back,
//! looks up the request id and refunds the charge if it was committed. Doubts are in a journal on disk until then.

use std::{
    collections::VecDeque,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use entity::{idempotency, ledger};
use futures_util::FutureExt;
use parking_lot::Mutex;
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter};
use tokio::{
    sync::mpsc,
    task::{AbortHandle, spawn_blocking},
};

use super::{
    LedgerEntry, SideTables,
    doubt::{Doubt, DoubtJournal},
    post::post,
};
use crate::foundation::database::Database;

/// The pause before doubts that could not be resolved are tried again.
const RESOLVE_RETRY: Duration = Duration::from_millis(500);
/// How often [`Resolver::drained`] looks.
const DRAIN_POLL: Duration = Duration::from_millis(20);

/// A queue of charges in doubt, whose clients were told that nothing was charged.
#[derive(Clone)]
pub(super) struct Resolver {
    queue: mpsc::UnboundedSender<Doubt>,
    shared: Arc<Shared>,
}

struct Shared {
    /// `None` if the journal cannot be written: doubts are then kept only in memory.
    journal: Mutex<Option<DoubtJournal>>,
    /// Doubts that are not resolved.
    open: AtomicUsize,
}

impl Resolver {
    /// Ensures that `entries` do not stay charged, even if this process dies once this has returned.
    pub(super) async fn undo(&self, entries: &[LedgerEntry]) {
        metrics::counter!("gavel_charges_in_doubt_total").increment(entries.len() as u64);
        let doubts: Vec<Doubt> = entries.iter().map(Doubt::of).collect();
        // Before the journal is written, so that it is not cleared meanwhile.
        self.shared.open.fetch_add(doubts.len(), Ordering::SeqCst);
        let shared = self.shared.clone();
        let written = doubts.clone();
        let written = spawn_blocking(move || shared.journal(|journal| journal.append(&written))).await;
        if let Ok(Err(error)) = written {
            tracing::error!(%error, "could not write the journal; charges in doubt are kept in memory only");
        }
        for doubt in doubts {
            // Fails only while the process is shutting down.
            let _ = self.queue.send(doubt);
        }
    }

    /// Waits until no charge is in doubt.
    pub(super) async fn drained(&self) {
        while self.shared.open.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(DRAIN_POLL).await;
        }
    }
}

impl Shared {
    fn journal(&self, work: impl FnOnce(&mut DoubtJournal) -> std::io::Result<()>) -> std::io::Result<()> {
        let mut journal = self.journal.lock();
        journal.as_mut().map_or(Ok(()), work)
    }

    /// Counts a resolved doubt, and clears the journal after the last.
    async fn resolved(self: &Arc<Self>) {
        if self.open.fetch_sub(1, Ordering::SeqCst) > 1 {
            return;
        }
        let shared = self.clone();
        let cleared = spawn_blocking(move || {
            shared.journal(|journal| match shared.open.load(Ordering::SeqCst) {
                0 => journal.clear(),
                _ => Ok(()),
            })
        });
        // Doubts that are resolved twice are refunded once.
        if let Ok(Err(error)) = cleared.await {
            tracing::warn!(%error, "could not clear the journal of charges in doubt");
        }
    }
}

/// Starts the resolver task of this process, with the doubts that dead processes have left.
pub(super) fn start(
    db: Database,
    side_tables: SideTables,
    mut journal: Option<DoubtJournal>,
) -> (Resolver, AbortHandle) {
    let (queue, doubts) = mpsc::unbounded_channel();
    let left = journal.as_mut().map(DoubtJournal::adopted).unwrap_or_default();
    let open = AtomicUsize::new(left.len());
    let shared = Arc::new(Shared { journal: Mutex::new(journal), open });
    let task = tokio::spawn(run(db, side_tables, shared.clone(), left.into(), doubts));
    (Resolver { queue, shared }, task.abort_handle())
}

/// Resolves doubts in rounds, so that one that always fails does not block those behind it.
async fn run(
    db: Database,
    side_tables: SideTables,
    shared: Arc<Shared>,
    mut unresolved: VecDeque<Doubt>,
    mut queue: mpsc::UnboundedReceiver<Doubt>,
) {
    loop {
        if unresolved.is_empty() {
            let Some(doubt) = queue.recv().await else { return };
            unresolved.push_back(doubt);
        }
        while let Ok(doubt) = queue.try_recv() {
            unresolved.push_back(doubt);
        }
        for _ in 0..unresolved.len() {
            let Some(doubt) = unresolved.pop_front() else { break };
            let request_id = &doubt.request_id;
            match AssertUnwindSafe(db.in_time(refund(&db, &doubt, &side_tables))).catch_unwind().await {
                Ok(Ok(refunded)) => {
                    tracing::info!(%request_id, refunded, "a charge in doubt is resolved");
                    shared.resolved().await;
                    continue;
                }
                Ok(Err(error)) => tracing::warn!(%request_id, %error, "a charge stays in doubt"),
                Err(_) => tracing::error!(%request_id, "a charge stays in doubt after a panic"),
            }
            unresolved.push_back(doubt);
            if db.in_time(db.ping()).await.is_err() {
                break;
            }
        }
        if !unresolved.is_empty() {
            tokio::time::sleep(RESOLVE_RETRY).await;
        }
    }
}

/// Refunds a charge if it was posted and not answered since. Refunds at most once, since the refund's request id is
/// derived from the charge's.
async fn refund(db: &Database, doubt: &Doubt, side_tables: &SideTables) -> Result<bool, DbErr> {
    let tx = db.begin().await?;
    // Posting takes the account's lock, which a commit in progress still holds; therefore the refund is posted first,
    // and rolled back when there is no charge.
    post(&tx, &[doubt.refund()], true, side_tables).await?;
    let request = doubt.request_id.as_str();
    // Another run of the same idempotent request may have charged for its own result and answered with that.
    let charge = ledger::Entity::find()
        .filter(ledger::Column::RequestId.eq(request))
        .filter(ledger::Column::Reference.eq(doubt.reference.as_deref()));
    if charge.one(&tx).await?.is_none() {
        tx.rollback().await?;
        return Ok(false);
    }
    let of_request = Condition::all()
        .add(idempotency::Column::AccountId.eq(doubt.account.as_str()))
        .add(idempotency::Column::RequestId.eq(request));
    let stored = idempotency::Entity::find().filter(of_request.clone());
    let deleted = idempotency::Entity::delete_many()
        .filter(of_request)
        .filter(idempotency::Column::Replayed.eq(false))
        .exec(&tx)
        .await?;
    if deleted.rows_affected == 0 && stored.one(&tx).await?.is_some() {
        // The client has repeated the request and received its answer.
        tx.rollback().await?;
        return Ok(false);
    }
    tx.commit().await?;
    Ok(true)
}
