//! Claims idempotency keys, and releases those of failed requests.

use std::time::{Duration, Instant};

use entity::idempotency;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use super::{
    Answer, release,
    row::{find, free, insert, mark_replayed, take_over},
    single_flight::{Flight, SingleFlight, still_running},
};
use crate::{Code, Error, Result, foundation::database::Database, money::credits::Receipt};
use ports::id::{AccountId, RequestId};

/// How long an answer is stored.
pub const ANSWER_RETENTION: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a claim is valid before another request may take it over. Longer than any request may take.
pub(super) const LEASE_TTL: Duration = Duration::from_secs(30);
/// How long a claim is retried while the database does not answer.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a duplicate waits for the first request before it is refused.
pub(super) const DUPLICATE_TIMEOUT: Duration = Duration::from_secs(45);

/// A client's key and a fingerprint of its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub(super) key: String,
    pub(super) fingerprint: String,
}

impl IdempotencyKey {
    /// Creates a key from the header's value, the route, and the request as parsed (not its bytes).
    ///
    /// # Errors
    /// `VALIDATION_FAILED` unless the key is 1 to 255 visible ASCII characters.
    pub fn new(key: &str, route: &str, request: &impl Serialize) -> Result<Self> {
        if !(1..=255).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = "must be 1 to 255 visible ASCII characters without spaces";
            return Err(Error::invalid("Idempotency-Key", message));
        }
        let mut digest = Sha256::new();
        digest.update(route);
        digest.update([0]);
        digest.update(serde_json::to_vec(request).map_err(Error::internal)?);
        Ok(Self { key: key.to_owned(), fingerprint: format!("{:x}", digest.finalize()) })
    }
}

impl IdempotencyKey {
    /// The same for repetitions of a request, and for no other request of the account.
    pub(crate) fn identity(&self) -> String {
        format!("{}:{}", self.key, self.fingerprint)
    }
}

/// The result of claiming a key.
pub(crate) enum Begun {
    /// The first request under this key: do the work under this claim.
    Run(Claim),
    /// The request was done before: repeat the stored answer.
    Replay(StoredAnswer),
}

/// An answer as it was stored with its charge.
#[derive(serde::Deserialize)]
pub(crate) struct StoredAnswer {
    /// The request id of the charge, which has its own column.
    #[serde(skip, default = "RequestId::new")]
    pub(crate) request_id: RequestId,
    /// The receipt of the charge.
    pub(crate) receipt: Receipt,
    /// The outcome of the work, as JSON.
    pub(crate) outcome: serde_json::Value,
}

/// A claim: the right to do the work of one idempotent request.
#[derive(Clone)]
pub(crate) struct Claim {
    pub(super) account: AccountId,
    pub(super) key: String,
    pub(crate) request_id: RequestId,
    /// The end of the lease; another value in the row means that another run has taken over. None while it is unknown
    /// whether the row was written.
    pub(super) lease_until: Option<i64>,
    /// A time before the lease began, or could have begun.
    pub(super) since: Instant,
}

impl Claim {
    /// The answer that the charge should store.
    pub(crate) fn answer(&self, outcome: serde_json::Value) -> Answer {
        Answer { key: self.key.clone(), outcome }
    }

    fn until(&self, lease_until: i64) -> Self {
        Self { lease_until: Some(lease_until), ..self.clone() }
    }
}

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
    /// `CONFLICT` when too many wait already, or after [`DUPLICATE_TIMEOUT`].
    pub(crate) async fn enter(&self, account: &AccountId, key: &IdempotencyKey) -> Result<Flight> {
        self.flights.enter(account, key).await
    }

    /// Claims a key: waits for a duplicate on another replica, and takes over from a run whose lease has expired.
    ///
    /// # Errors
    /// `IDEMPOTENCY_MISMATCH` when the key was used with another request; `CONFLICT` when the first request is still
    /// running at the flight's deadline; `INTERNAL_ERROR` when the database does not answer.
    pub(crate) async fn begin(
        &self,
        flight: &Flight,
        account: &AccountId,
        key: &IdempotencyKey,
        request_id: RequestId,
    ) -> Result<Begun> {
        let mut wanted = Claim {
            account: account.clone(),
            key: key.key.clone(),
            request_id,
            lease_until: None,
            since: Instant::now(),
        };
        let mut pause = Duration::from_millis(5);
        loop {
            match try_claim(&self.db, key, &wanted).await {
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
        let of_key = Claim {
            account: account.clone(),
            key: key.key.clone(),
            request_id: RequestId::new(),
            lease_until: None,
            since: Instant::now(),
        };
        let row = self.db.in_time(find(&self.db, &of_key)).await?;
        let Some(row) = row.filter(|row| row.fingerprint == key.fingerprint) else { return Ok(None) };
        self.db.in_time(mark_replayed(&self.db, &of_key, &row)).await
    }

    /// The answer of another run that took the request over, if any.
    pub(crate) async fn answered_by_another(&self, claim: &Claim) -> Result<Option<StoredAnswer>> {
        self.db
            .in_time(async {
                let Some(row) = find(&self.db, claim).await? else { return Ok(None) };
                mark_replayed(&self.db, claim, &row).await
            })
            .await
    }

    /// Releases the key of failed work, at once or as soon as the database answers, unless another run has taken over.
    pub(crate) async fn release(&self, claim: Claim) {
        if let Err(error) = self.db.in_time(free(&self.db, &claim)).await {
            tracing::warn!(request_id = %claim.request_id, %error, "an idempotency key is freed later");
            self.free(claim);
        }
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
    let Some(row) = db.in_time(find(db, wanted)).await? else { return Ok(None) };
    if row.fingerprint != key.fingerprint {
        let message = "this Idempotency-Key was used with another request in the last 24 hours";
        return Err(Error::new(Code::IdempotencyMismatch, message));
    }
    if let Some(stored) = db.in_time(mark_replayed(db, wanted, &row)).await? {
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

/// Removes answers older than [`ANSWER_RETENTION`]; returns how many.
pub async fn prune(db: &Database) -> Result<u64> {
    let result = idempotency::Entity::delete_many()
        .filter(idempotency::Column::CreatedAt.lt(chrono::Utc::now() - ANSWER_RETENTION))
        .exec(db.write())
        .await?;
    Ok(result.rows_affected)
}
