//! `Idempotency-Key`: the same request sent twice is done and charged once, and answered twice.
//!
//! The row is written first, under a lease; the answer is stored by the charge's own commit. So an answer is stored
//! exactly when the charge is, whoever dies in between.

use std::time::Duration;

use entity::idempotency;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, Statement, Value,
    sea_query::Expr,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{
    Code, Error, Result,
    credits::{Answer, Receipt},
    database::Database,
    id::{AccountId, RequestId},
};

/// How long an answer is kept.
pub const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// How long one who runs a request is believed alive, in milliseconds. Longer than any request may take.
const LEASE_MS: i64 = 30_000;
/// How long a duplicate waits for the first, before it is told to come back.
const WAIT: Duration = Duration::from_secs(45);

/// A client's key together with what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    key: String,
    fingerprint: String,
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
pub(crate) struct Claim {
    account: AccountId,
    key: String,
    pub(crate) request_id: RequestId,
    /// Until when; another value in the row says that somebody else has taken over.
    lease_until: i64,
}

impl Claim {
    /// What the charge should store.
    pub(crate) fn answer(&self, outcome: serde_json::Value) -> Answer {
        Answer { key: self.key.clone(), outcome }
    }

    /// What another one answered, who ran the request in place of this one.
    pub(crate) async fn answered_by_another(&self, db: &Database) -> Result<Option<Stored>> {
        let Some(row) = find(db, &self.account, &self.key).await? else { return Ok(None) };
        recall(db, &self.account, &self.key, &row).await
    }

    /// The work failed: the key is free again, unless somebody else has taken over.
    pub(crate) async fn release(self, db: &Database) -> Result<()> {
        idempotency::Entity::delete_many()
            .filter(idempotency::Column::AccountId.eq(self.account.as_str()))
            .filter(idempotency::Column::Key.eq(self.key))
            .filter(idempotency::Column::RequestId.eq(self.request_id.as_str()))
            .filter(idempotency::Column::LeaseUntil.eq(self.lease_until))
            .filter(idempotency::Column::Answer.is_null())
            .exec(db.write())
            .await?;
        Ok(())
    }
}

#[derive(FromQueryResult)]
struct Row {
    fingerprint: String,
    request_id: String,
    answer: Option<String>,
    replayed: bool,
    lease_until: i64,
    now: i64,
}

/// Presents a key: waits for a duplicate under way, takes over from one that died.
///
/// # Errors
/// `IDEMPOTENCY_MISMATCH` when the key stands for another request, `CONFLICT` when the first is still running after
/// [`WAIT`].
pub(crate) async fn begin(
    db: &Database,
    account: &AccountId,
    key: &IdempotencyKey,
    request_id: RequestId,
) -> Result<Begun> {
    let claim = |request_id, lease_until| {
        Begun::Run(Claim { account: account.clone(), key: key.key.clone(), request_id, lease_until })
    };
    let deadline = tokio::time::Instant::now() + WAIT;
    let mut pause = Duration::from_millis(5);
    loop {
        if let Some(lease) = db.in_time(insert(db, account, key, &request_id)).await? {
            return Ok(claim(request_id, lease));
        }
        let Some(row) = db.in_time(find(db, account, &key.key)).await? else { continue };
        if row.fingerprint != key.fingerprint {
            let message = "this Idempotency-Key was used with another request in the last 24 hours";
            return Err(Error::new(Code::IdempotencyMismatch, message));
        }
        if let Some(stored) = db.in_time(recall(db, account, &key.key, &row)).await? {
            return Ok(Begun::Replay(stored));
        }
        if row.lease_until < row.now
            && let Some(lease) = db.in_time(take_over(db, account, key, row.lease_until)).await?
        {
            return Ok(claim(RequestId::from(row.request_id), lease));
        }
        if tokio::time::Instant::now() > deadline {
            return Err(Error::new(
                Code::Conflict,
                "the first request under this Idempotency-Key is still running",
            ));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(100));
    }
}

/// Removes answers older than [`KEPT`]; returns how many.
pub async fn prune(db: &Database) -> Result<u64> {
    let result = idempotency::Entity::delete_many()
        .filter(idempotency::Column::CreatedAt.lt(chrono::Utc::now() - KEPT))
        .exec(db.write())
        .await?;
    Ok(result.rows_affected)
}

async fn insert(
    db: &Database,
    account: &AccountId,
    key: &IdempotencyKey,
    request_id: &RequestId,
) -> Result<Option<i64>, DbErr> {
    let sql = format!(
        "INSERT INTO idempotency (account_id, key, fingerprint, request_id, lease_until, created_at) \
         VALUES ($1, $2, $3, $4, {} + {LEASE_MS}, $5) ON CONFLICT DO NOTHING \
         RETURNING lease_until",
        db.now_ms()
    );
    let values = [
        account.as_str().into(),
        key.key.as_str().into(),
        key.fingerprint.as_str().into(),
        request_id.as_str().into(),
        chrono::Utc::now().into(),
    ];
    lease(db, sql, values).await
}

async fn find(db: &Database, account: &AccountId, key: &str) -> Result<Option<Row>, DbErr> {
    let sql = format!(
        "SELECT fingerprint, request_id, answer, replayed, lease_until, {} AS now FROM idempotency \
         WHERE account_id = $1 AND key = $2",
        db.now_ms()
    );
    let values = [account.as_str().into(), key.into()];
    let statement = Statement::from_sql_and_values(db.read().get_database_backend(), sql, values);
    Row::find_by_statement(statement).one(db.read()).await
}

/// The answer in a row, about to be given again. That is written down first, so that nobody refunds its charge for want
/// of an answer; none when somebody has.
async fn recall(db: &Database, account: &AccountId, key: &str, row: &Row) -> Result<Option<Stored>> {
    let Some(answer) = &row.answer else { return Ok(None) };
    if !row.replayed {
        let marked = idempotency::Entity::update_many()
            .col_expr(idempotency::Column::Replayed, Expr::value(true))
            .filter(idempotency::Column::AccountId.eq(account.as_str()))
            .filter(idempotency::Column::Key.eq(key))
            .filter(idempotency::Column::RequestId.eq(row.request_id.as_str()))
            .exec(db.write())
            .await?;
        if marked.rows_affected == 0 {
            return Ok(None);
        }
    }
    let stored: Stored = serde_json::from_str(answer).map_err(Error::internal)?;
    Ok(Some(Stored { request_id: RequestId::from(row.request_id.clone()), ..stored }))
}

async fn take_over(
    db: &Database,
    account: &AccountId,
    key: &IdempotencyKey,
    lease_until: i64,
) -> Result<Option<i64>, DbErr> {
    let sql = format!(
        "UPDATE idempotency SET lease_until = {} + {LEASE_MS} \
         WHERE account_id = $1 AND key = $2 AND lease_until = $3 AND answer IS NULL RETURNING lease_until",
        db.now_ms()
    );
    let values = [account.as_str().into(), key.key.as_str().into(), lease_until.into()];
    lease(db, sql, values).await
}

/// The lease that a statement gave, if it gave one.
async fn lease<const N: usize>(db: &Database, sql: String, values: [Value; N]) -> Result<Option<i64>, DbErr> {
    let statement = Statement::from_sql_and_values(db.write().get_database_backend(), sql, values);
    let row = db.write().query_one_raw(statement).await?;
    row.map(|row| row.try_get("", "lease_until")).transpose()
}
