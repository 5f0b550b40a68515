//! Deletes old deliveries.

use chrono::{TimeDelta, Utc};
use sea_orm::{ConnectionTrait, FromQueryResult, Statement};

use crate::{Result, foundation::database::Database};

/// How long deliveries are kept after their end.
const KEPT: TimeDelta = TimeDelta::days(30);
/// How many ended deliveries of an account are kept: the newest.
const KEPT_BY_ACCOUNT: u32 = 10_000;
/// Rows that one statement deletes.
const CHUNK: u32 = 1_000;

/// Deletes old deliveries, and all but the newest of each account; returns how many. Only ended ones count.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub async fn prune(db: &Database) -> Result<u64> {
    #[derive(FromQueryResult)]
    struct Full {
        account_id: String,
    }
    let backend = db.write().get_database_backend();
    let old = format!(
        "DELETE FROM webhook_delivery WHERE id IN \
         (SELECT id FROM webhook_delivery WHERE finished_at < $1 LIMIT {CHUNK})"
    );
    let old = Statement::from_sql_and_values(backend, old, [(Utc::now() - KEPT).into()]);
    let mut pruned = delete_all(db, &old).await?;
    let full = format!(
        "SELECT account_id FROM webhook_delivery WHERE finished_at IS NOT NULL GROUP BY account_id \
         HAVING COUNT(*) > {KEPT_BY_ACCOUNT}"
    );
    for Full { account_id } in
        Full::find_by_statement(Statement::from_string(backend, full)).all(db.read()).await?
    {
        let many = format!(
            "DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE account_id = $1 \
             AND finished_at IS NOT NULL ORDER BY id DESC LIMIT {CHUNK} OFFSET {KEPT_BY_ACCOUNT})"
        );
        let many = Statement::from_sql_and_values(backend, many, [account_id.into()]);
        pruned += delete_all(db, &many).await?;
    }
    Ok(pruned)
}

/// Repeats a statement that deletes a chunk until nothing is left.
async fn delete_all(db: &Database, statement: &Statement) -> Result<u64> {
    let mut all = 0;
    loop {
        let deleted = db.write().execute_raw(statement.clone()).await?.rows_affected();
        all += deleted;
        if deleted < u64::from(CHUNK) {
            return Ok(all);
        }
    }
}
