//! Presents keys, and frees those of requests that failed.

use std::time::{Duration, Instant};

use entity::idempotency;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use super::{
    Answer, release,
    row::{find, free, insert, recall, take_over},
};
use crate::{
    Code, Error, Result,
    credits::Receipt,
    database::Database,
    id::{AccountId, RequestId},
};

/// How long an answer is kept.
pub const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the runner of a request is believed alive. Longer than any request may take.
pub(super) const LEASE: Duration = Duration::from_secs(30);
/// How long a key is presented again while the database does not answer.
const PRESENT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a duplicate waits for the first, before it is told to come back.
const WAIT: Duration = Duration::from_secs(45);

/// A client's key together with what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    key: String,
    pub(super) fingerprint: String,
}

impl IdempotencyKey {
    /// From the header's value, the route, and the request as parsed (not its bytes).
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

/// What came of presenting a key.
pub(crate) enum Begun {
    /// First of its kind: do the work under this claim.
    Run(Claim),
    /// Done before: this is what came of it.
    Replay(Stored),
}

/// An answer as it was stored with its charge.
#[derive(serde::Deserialize)]
pub(crate) struct Stored {
    /// Under which it was charged; a column of its own.
    #[serde(skip, default = "RequestId::new")]
    pub(crate) request_id: RequestId,
    /// What was charged then.
    pub(crate) receipt: Receipt,
    /// What the work gave, as JSON.
    pub(crate) outcome: serde_json::Value,
}

/// The right to do the work of one idempotent request.
#[derive(Clone)]
pub(crate) struct Claim {
    pub(super) account: AccountId,
    pub(super) key: String,
    pub(crate) request_id: RequestId,
    /// Until when; another value in the row says that somebody else has taken over. None while nobody knows whether the
    /// row was written.
    pub(super) lease_until: Option<i64>,
    /// A moment before the lease began, or could have begun.
    pub(super) since: Instant,
}

impl Claim {
    /// What the charge should store.
    pub(crate) fn answer(&self, outcome: serde_json::Value) -> Answer {
        Answer { key: self.key.clone(), outcome }
    }

    fn until(&self, lease_until: i64) -> Self {
        Self { lease_until: Some(lease_until), ..self.clone() }
    }
}

/// Presents keys, and frees those of requests that failed.
#[derive(Clone)]
pub struct Idempotency {
    db: Database,
    failed: mpsc::UnboundedSender<Claim>,
}

impl Idempotency {
    /// Starts the task that frees keys when the database did not answer at first.
    pub fn start(db: Database) -> Self {
        Self { failed: release::start(db.clone()), db }
    }

    /// Presents a key: waits for a duplicate under way, takes over from one that died.
    ///
    /// # Errors
    /// `IDEMPOTENCY_MISMATCH` when the key stands for another request, `CONFLICT` when the first is still running after
    /// [`WAIT`], `INTERNAL_ERROR` when the database stayed away.
    pub(crate) async fn begin(
        &self,
        account: &AccountId,
        key: &IdempotencyKey,
        request_id: RequestId,
    ) -> Result<Begun> {
        let deadline = Instant::now() + WAIT;
        let mut wanted = Claim {
            account: account.clone(),
            key: key.key.clone(),
            request_id,
            lease_until: None,
            since: Instant::now(),
        };
        let mut pause = Duration::from_millis(5);
        loop {
            match present(&self.db, key, &wanted).await {
                Ok(Some(begun)) => return Ok(begun),
                Ok(None) if Instant::now() > deadline => {
                    let message = "the first request under this Idempotency-Key is still running";
                    return Err(Error::new(Code::Conflict, message));
                }
                Ok(None) => wanted.since = Instant::now(),
                Err(error) if error.code != Code::InternalError => return Err(error),
                // The row may have been written all the same. Then it is found the next time.
                Err(_) if wanted.since.elapsed() < PRESENT_TIMEOUT => {}
                Err(error) => {
                    self.free(wanted);
                    return Err(error);
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    /// What another one answered, who ran the request in place of this one.
    pub(crate) async fn answered_by_another(&self, claim: &Claim) -> Result<Option<Stored>> {
        self.db
            .in_time(async {
                let Some(row) = find(&self.db, claim).await? else { return Ok(None) };
                recall(&self.db, claim, &row).await
            })
            .await
    }

    /// The work failed: the key is free again, at once or as soon as the database is back, unless somebody else has
    /// taken over.
    pub(crate) async fn release(&self, claim: Claim) {
        if let Err(error) = self.db.in_time(free(&self.db, &claim)).await {
            tracing::warn!(request_id = %claim.request_id, %error, "an idempotency key is freed later");
            self.free(claim);
        }
    }

    fn free(&self, claim: Claim) {
        // Fails only when the process is ending.
        let _ = self.failed.send(claim);
    }
}

/// One look at a key; none while somebody else is at work under it.
async fn present(db: &Database, key: &IdempotencyKey, wanted: &Claim) -> Result<Option<Begun>> {
    if let Some(lease) = db.in_time(insert(db, key, wanted)).await? {
        return Ok(Some(Begun::Run(wanted.until(lease))));
    }
    let Some(row) = db.in_time(find(db, wanted)).await? else { return Ok(None) };
    if row.fingerprint != key.fingerprint {
        let message = "this Idempotency-Key was used with another request in the last 24 hours";
        return Err(Error::new(Code::IdempotencyMismatch, message));
    }
    if let Some(stored) = db.in_time(recall(db, wanted, &row)).await? {
        return Ok(Some(Begun::Replay(stored)));
    }
    if row.request_id == wanted.request_id.as_str() {
        // Written by an earlier try of ours, whose answer was lost.
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

/// Removes answers older than [`KEPT`]; returns how many.
pub async fn prune(db: &Database) -> Result<u64> {
    let result = idempotency::Entity::delete_many()
        .filter(idempotency::Column::CreatedAt.lt(chrono::Utc::now() - KEPT))
        .exec(db.write())
        .await?;
    Ok(result.rows_affected)
}
