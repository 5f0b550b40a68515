//! After a commit whose fate is unknown and an answer of 500: when the database is back, looks the request id up and
//! refunds the charge if it is there.

use std::{collections::VecDeque, time::Duration};

use entity::{idempotency, ledger};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use tokio::sync::mpsc;

use super::{Entry, Kind, SideTables, post::post};
use crate::{database::Database, id::RequestId};

/// How long to wait before the database is tried again.
const RETRY: Duration = Duration::from_millis(500);

/// Takes charges whose client was told that nothing was charged.
#[derive(Clone)]
pub(super) struct Resolver(mpsc::UnboundedSender<Entry>);

impl Resolver {
    /// Makes sure that `entry` does not stay charged.
    pub(super) fn undo(&self, entry: Entry) {
        metrics::counter!("gavel_charges_in_doubt_total").increment(1);
        // Fails only when the process is ending.
        let _ = self.0.send(entry);
    }
}

/// Starts the resolver of this process.
pub(super) fn start(db: Database, side_tables: SideTables) -> Resolver {
    let (doubts, mut queue) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut open = VecDeque::new();
        loop {
            if open.is_empty() {
                let Some(entry) = queue.recv().await else { return };
                open.push_back(entry);
            }
            while let Ok(entry) = queue.try_recv() {
                open.push_back(entry);
            }
            if let Some(entry) = open.front() {
                match db.in_time(refund(&db, entry, &side_tables)).await {
                    Ok(refunded) => {
                        tracing::info!(request_id = %entry.request_id, refunded, "a charge in doubt is resolved");
                        open.pop_front();
                    }
                    Err(_) => tokio::time::sleep(RETRY).await,
                }
            }
        }
    });
    Resolver(doubts)
}

/// Refunds `entry` if it was posted and not answered since; at most once, since the refund's own request id follows
/// from the charge's.
async fn refund(db: &Database, entry: &Entry, side_tables: &SideTables) -> Result<bool, DbErr> {
    let tx = db.begin().await?;
    let id = RequestId::from(format!("{}:refund", entry.request_id));
    let mut refund = Entry::new(entry.account.clone(), id, Kind::Refund, -entry.delta);
    refund.reference = Some(entry.request_id.to_string());
    refund.endpoint = entry.endpoint;
    refund.payer = entry.payer.clone();
    // Posting takes the account's lock, which the commit in doubt holds while it is still under way; so the refund is
    // posted first and taken back when there is no charge to undo.
    post(&tx, std::slice::from_ref(&refund), true, side_tables).await?;
    let request = entry.request_id.as_str();
    // Another run of the same idempotent request may have charged for a result of its own, and answered with that.
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
        // The client has asked again and got its answer after all.
        tx.rollback().await?;
        return Ok(false);
    }
    tx.commit().await?;
    Ok(true)
}
