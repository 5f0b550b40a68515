//! Decides which process runs a periodic task: the one that advances its due time.

use std::time::Duration;

use sea_orm::{ConnectionTrait, Statement};

use crate::{Result, foundation::database::Database};

/// Claims the turn of a periodic task: true for one caller per period, over all processes.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub async fn claim_schedule(db: &Database, name: &str, every: Duration) -> Result<bool> {
    let backend = db.write().get_database_backend();
    let now = db.now_ms();
    let period = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
    let waits = format!("SELECT 1 FROM schedule WHERE name = $1 AND due_at > {now}");
    let waits = Statement::from_sql_and_values(backend, waits, [name.into()]);
    if db.read().query_one_raw(waits).await?.is_some() {
        return Ok(false);
    }
    let sql = format!(
        "INSERT INTO schedule (name, due_at) VALUES ($1, {now} + $2) \
         ON CONFLICT (name) DO UPDATE SET due_at = {now} + $2 WHERE schedule.due_at <= {now}"
    );
    let claim = Statement::from_sql_and_values(backend, sql, [name.into(), period.into()]);
    Ok(db.write().execute_raw(claim).await?.rows_affected() > 0)
}
