//! Resolves charges in doubt: a commit with an unknown result whose client was answered 500. When the database is back,
//! looks up the request id and refunds the charge if it was committed.

use std::{collections::VecDeque, time::Duration};

use entity::{idempotency, ledger};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use tokio::sync::mpsc;

use super::{Entry, Kind, SideTables, post::post};
use crate::{database::Database, id::RequestId};

/// The pause before the database is tried again.
const RESOLVE_RETRY: Duration = Duration::from_millis(500);

/// A queue of charges in doubt, whose client was told that nothing was charged.
#[derive(Clone)]
pub(super) struct Resolver(mpsc::UnboundedSender<Entry>);

impl Resolver {
    /// Ensures that `entry` does not stay charged.
    pub(super) fn undo(&self, entry: Entry) {
        metrics::counter!("gavel_charges_in_doubt_total").increment(1);
        // Fails only while the process is shutting down.
        let _ = self.0.send(entry);
    }
}

/// Starts the resolver task of this process.
pub(super) fn start(db: Database, side_tables: SideTables) -> Resolver {
    let (sender, mut queue) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut unresolved = VecDeque::new();
        loop {
            if unresolved.is_empty() {
                let Some(entry) = queue.recv().await else { return };
                unresolved.push_back(entry);
            }
            while let Ok(entry) = queue.try_recv() {
                unresolved.push_back(entry);
            }
            if let Some(entry) = unresolved.front() {
                match db.in_time(refund(&db, entry, &side_tables)).await {
                    Ok(refunded) => {
                        tracing::info!(request_id = %entry.request_id, refunded, "a charge in doubt is resolved");
                        unresolved.pop_front();
                    }
                    Err(_) => tokio::time::sleep(RESOLVE_RETRY).await,
                }
            }
        }
    });
    Resolver(sender)
}

/// Refunds `entry` if it was posted and not answered since. Refunds at most once, since the refund's request id is
/// derived from the charge's.
async fn refund(db: &Database, entry: &Entry, side_tables: &SideTables) -> Result<bool, DbErr> {
    let tx = db.begin().await?;
    let id = RequestId::from(format!("{}:refund", entry.request_id));
    let mut refund = Entry::new(entry.account.clone(), id, Kind::Refund, -entry.delta);
    refund.reference = Some(entry.request_id.to_string());
    refund.endpoint = entry.endpoint;
    refund.payer = entry.payer.clone();
    // Posting takes the account's lock, which a commit in progress still holds; therefore the refund is posted first,
    // and rolled back when there is no charge.
    post(&tx, std::slice::from_ref(&refund), true, side_tables).await?;
    let request = entry.request_id.as_str();
    // Another run of the same idempotent request may have charged for its own result and answered with that.
    let charge = ledger::Entity::find()
        .filter(ledger::Column::RequestId.eq(request))
        .filter(ledger::Column::Reference.eq(entry.reference.as_deref()));
    if charge.one(&tx).await?.is_none() {
        tx.rollback().await?;
        return Ok(false);
    }
    let stored = idempotency::Entity::find().filter(idempotency::Column::RequestId.eq(request));
    let deleted = idempotency::Entity::delete_many()
        .filter(idempotency::Column::RequestId.eq(request))
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
