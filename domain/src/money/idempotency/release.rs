//! Releases the keys of failed requests. Retries while the database does not answer, but only until their leases
//! expire: after that another request takes the key over anyway.

use std::time::Duration;

use tokio::sync::mpsc;

use super::{Claim, claim::LEASE_TTL, row::free};
use crate::foundation::database::Database;

/// The pause before the database is tried again.
const RELEASE_RETRY: Duration = Duration::from_millis(200);

/// Starts the task of this process that releases keys.
pub(super) fn start(db: Database) -> mpsc::UnboundedSender<Claim> {
    let (failed, mut queue) = mpsc::unbounded_channel::<Claim>();
    tokio::spawn(async move {
        while let Some(claim) = queue.recv().await {
            while claim.since.elapsed() < LEASE_TTL && db.in_time(free(&db, &claim)).await.is_err() {
                tokio::time::sleep(RELEASE_RETRY).await;
            }
        }
    });
    failed
}
