//! Frees the keys of requests that failed. While the database is away it waits, but no longer than their leases last:
//! after that whoever asks takes over anyway.

use std::time::Duration;

use tokio::sync::mpsc;

use super::{Claim, row::free, store::LEASE};
use crate::database::Database;

/// How long to wait before the database is tried again.
const RETRY: Duration = Duration::from_millis(200);

/// Starts the task of this process that frees keys later.
pub(super) fn start(db: Database) -> mpsc::UnboundedSender<Claim> {
    let (failed, mut queue) = mpsc::unbounded_channel::<Claim>();
    tokio::spawn(async move {
        while let Some(claim) = queue.recv().await {
            while claim.since.elapsed() < LEASE && db.in_time(free(&db, &claim)).await.is_err() {
                tokio::time::sleep(RETRY).await;
            }
        }
    });
    failed
}
