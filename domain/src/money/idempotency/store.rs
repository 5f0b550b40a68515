//! Claims idempotency keys, and releases those of failed requests.

use std::time::{Duration, Instant};

use entity::idempotency;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use tokio::sync::mpsc;

use super::{
    Begun, Claim, Flight, IdempotencyKey, StoredAnswer, release,
    row::{find, free, insert, mark_replayed, take_over},
    single_flight::{SingleFlight, still_running},
};
use crate::{Code, Error, Result, foundation::database::Database};
use ports::id::{AccountId, RequestId};

/// How long an answer is stored.
pub const ANSWER_RETENTION: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a claim is retried while the database does not answer.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(5);

/// Claims idempotency keys, and releases those of failed requests.
#[derive(Clone)]
pub struct Idempotency {
    db: Database,
    failed: mpsc::UnboundedSender<Claim>,
    flights: SingleFlight,
}

impl Idempotency {
    /// Starts the task that releases keys when the database did not answer at first.
    pub fn start(db: Database) -> Self {
        Self { failed: release::start(db.clone()), db, flights: SingleFlight::default() }
    }

    /// Waits until no other request of this process runs under the key. A client that goes away meanwhile leaves
    /// nothing behind.
    ///
    /// # Errors
    /// `CONFLICT` when too many wait already, or after [`super::single_flight::DUPLICATE_TIMEOUT`].
    pub(crate) async fn enter(&self, account: &AccountId, key: &IdempotencyKey) -> Result<Flight> {
        self.flights.enter(account, key).await
    }

    /// Claims a key: waits for a duplicate on another replica, and takes over from a run whose lease has expired.
    ///
    /// # Errors
    /// `IDEMPOTENCY_MISMATCH` when the key was used with another request; `CONFLICT` when the first request is still
    /// running at the flight's deadline; `INTERNAL_ERROR` when the database does not answer.
    pub(crate) async fn begin(&self, flight: &Flight, request_id: RequestId) -> Result<Begun> {
        let mut wanted = Claim::new(&flight.account, &flight.key, request_id);
        let mut pause = Duration::from_millis(5);
        loop {
            match try_claim(&self.db, &flight.key, &wanted).await {
                Ok(Some(begun)) => return Ok(begun),
                Ok(None) if tokio::time::Instant::now() > flight.deadline => return Err(still_running()),
                Ok(None) => wanted.since = Instant::now(),
                Err(error) if error.code != Code::InternalError => return Err(error),
                // The row may have been written; the next attempt then finds it.
                Err(_) if wanted.since.elapsed() < CLAIM_TIMEOUT => {}
                Err(error) => {
                    self.free(wanted);
                    return Err(error);
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    /// The stored answer to a request, if any.
    pub(crate) async fn answered(
        &self,
        account: &AccountId,
        key: &IdempotencyKey,
    ) -> Result<Option<StoredAnswer>> {
        let row = self.db.in_time(find(&self.db, account, &key.key)).await?;
        let Some(row) = row.filter(|row| row.fingerprint == key.fingerprint) else { return Ok(None) };
        self.db.in_time(mark_replayed(&self.db, account, &key.key, &row)).await
    }

    /// The answer of another run that took the request over, if any.
    pub(crate) async fn answered_by_another(&self, claim: &Claim) -> Result<Option<StoredAnswer>> {
        self.db
            .in_time(async {
                let Some(row) = find(&self.db, &claim.account, &claim.key).await? else { return Ok(None) };
                mark_replayed(&self.db, &claim.account, &claim.key, &row).await
            })
            .await
    }

    /// Releases the key of failed work, at once or as soon as the database answers, unless another run has taken over.
    pub(crate) async fn release(&self, claim: Claim) {
        if let Err(error) = self.db.in_time(free(&self.db, &claim)).await {
            tracing::warn!(request_id = %claim.request_id, %error, "could not release an idempotency key; retrying");
            self.free(claim);
        }
    }

    /// Removes answers older than [`ANSWER_RETENTION`]; returns how many.
    pub async fn prune(&self) -> Result<u64> {
        let old = idempotency::Entity::delete_many()
            .filter(idempotency::Column::CreatedAt.lt(chrono::Utc::now() - ANSWER_RETENTION));
        Ok(old.exec(self.db.write()).await?.rows_affected)
    }

    fn free(&self, claim: Claim) {
        // Fails only while the process is shutting down.
        let _ = self.failed.send(claim);
    }
}

/// One attempt to claim a key; `None` while another run holds the lease.
async fn try_claim(db: &Database, key: &IdempotencyKey, wanted: &Claim) -> Result<Option<Begun>> {
    if let Some(lease) = db.in_time(insert(db, key, wanted)).await? {
        return Ok(Some(Begun::Run(wanted.until(lease))));
    }
    let Some(row) = db.in_time(find(db, &wanted.account, &wanted.key)).await? else { return Ok(None) };
    if row.fingerprint != key.fingerprint {
        let message = "this Idempotency-Key was used with another request in the last 24 hours";
        return Err(Error::new(Code::IdempotencyMismatch, message));
    }
    if let Some(stored) = db.in_time(mark_replayed(db, &wanted.account, &wanted.key, &row)).await? {
        return Ok(Some(Begun::Replay(stored)));
    }
    if row.request_id == wanted.request_id.as_str() {
        // An earlier attempt of this run wrote the row, but its result was lost.
        return Ok(Some(Begun::Run(wanted.until(row.lease_until))));
    }
    if row.lease_until >= row.now {
        return Ok(None);
    }
    let since = Instant::now();
    let lease = db.in_time(take_over(db, wanted, row.lease_until)).await?;
    let request_id = RequestId::from(row.request_id);
    Ok(lease.map(|lease| Begun::Run(Claim { request_id, since, ..wanted.until(lease) })))
}
