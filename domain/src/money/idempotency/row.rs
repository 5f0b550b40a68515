//! Queries on the `idempotency` table, one statement each. They decide nothing.

use entity::idempotency;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, Statement, Value,
    sea_query::Expr,
};

use super::{Claim, IdempotencyKey, StoredAnswer, claim::LEASE_TTL};
use crate::{Error, Result, foundation::database::Database};
use ports::id::{AccountId, RequestId};

/// A row, with the current time of the database's clock.
#[derive(FromQueryResult)]
pub(super) struct KeyRow {
    pub(super) fingerprint: String,
    pub(super) request_id: String,
    pub(super) answer: Option<String>,
    pub(super) replayed: bool,
    pub(super) lease_until: i64,
    pub(super) now: i64,
}

/// Inserts the row and returns its lease; `None` if the key already has a row.
pub(super) async fn insert(
    db: &Database,
    key: &IdempotencyKey,
    wanted: &Claim,
) -> Result<Option<i64>, DbErr> {
    let sql = format!(
        "INSERT INTO idempotency (account_id, key, fingerprint, request_id, lease_until, created_at) \
         VALUES ($1, $2, $3, $4, {} + {}, $5) ON CONFLICT DO NOTHING \
         RETURNING lease_until",
        db.now_ms(),
        LEASE_TTL.as_millis()
    );
    let values = [
        wanted.account.as_str().into(),
        wanted.key.as_str().into(),
        key.fingerprint.as_str().into(),
        wanted.request_id.as_str().into(),
        chrono::Utc::now().into(),
    ];
    lease(db, sql, values).await
}

/// The row of an account's key.
pub(super) async fn find(db: &Database, account: &AccountId, key: &str) -> Result<Option<KeyRow>, DbErr> {
    let sql = format!(
        "SELECT fingerprint, request_id, answer, replayed, lease_until, {} AS now FROM idempotency \
         WHERE account_id = $1 AND key = $2",
        db.now_ms()
    );
    let values = [account.as_str().into(), key.into()];
    let statement = Statement::from_sql_and_values(db.read().get_database_backend(), sql, values);
    KeyRow::find_by_statement(statement).one(db.read()).await
}

/// Reads the answer of a row that is about to be repeated. Marks the row first, so that the resolver does not refund
/// the charge; `None` if the resolver was faster.
pub(super) async fn mark_replayed(
    db: &Database,
    account: &AccountId,
    key: &str,
    row: &KeyRow,
) -> Result<Option<StoredAnswer>> {
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
    let stored: StoredAnswer = serde_json::from_str(answer).map_err(Error::internal)?;
    Ok(Some(StoredAnswer { request_id: RequestId::from(row.request_id.clone()), ..stored }))
}

/// Renews an expired lease and returns the new one; `None` if another request was faster.
pub(super) async fn take_over(db: &Database, wanted: &Claim, lease_until: i64) -> Result<Option<i64>, DbErr> {
    let sql = format!(
        "UPDATE idempotency SET lease_until = {} + {} \
         WHERE account_id = $1 AND key = $2 AND lease_until = $3 AND answer IS NULL RETURNING lease_until",
        db.now_ms(),
        LEASE_TTL.as_millis()
    );
    let values = [wanted.account.as_str().into(), wanted.key.as_str().into(), lease_until.into()];
    lease(db, sql, values).await
}

/// Deletes the row of a claim, unless another run has taken over or the answer is stored.
pub(super) async fn free(db: &Database, claim: &Claim) -> Result<(), DbErr> {
    let lease = match claim.lease_until {
        Some(lease) => lease,
        // Before the lease can have expired, a row with this request id cannot have been taken over.
        None => match find(db, &claim.account, &claim.key).await? {
            Some(row) if row.request_id == claim.request_id.as_str() && claim.since.elapsed() < LEASE_TTL => {
                row.lease_until
            }
            _ => return Ok(()),
        },
    };
    idempotency::Entity::delete_many()
        .filter(idempotency::Column::AccountId.eq(claim.account.as_str()))
        .filter(idempotency::Column::Key.eq(claim.key.as_str()))
        .filter(idempotency::Column::RequestId.eq(claim.request_id.as_str()))
        .filter(idempotency::Column::LeaseUntil.eq(lease))
        .filter(idempotency::Column::Answer.is_null())
        .exec(db.write())
        .await?;
    Ok(())
}

/// The lease that a statement returned, if any.
async fn lease<const N: usize>(db: &Database, sql: String, values: [Value; N]) -> Result<Option<i64>, DbErr> {
    let statement = Statement::from_sql_and_values(db.write().get_database_backend(), sql, values);
    let row = db.write().query_one_raw(statement).await?;
    row.map(|row| row.try_get("", "lease_until")).transpose()
}
