//! What is due and was not delivered, or was delivered and lost: the outbox, and pruning of old jobs.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use entity::job;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, Statement,
    sea_query::{Expr, ExprTrait},
};

use super::{JobState, Jobs, Kind, Lane};
use crate::{Result, foundation::database::Database};
use ports::id::JobId;

/// After how long a job that was delivered and not begun is delivered again. A queue that was emptied fills again
/// within this time; a job that waits its turn in a long lane is delivered more than once, which does no harm.
const REDELIVERY_MS: i64 = 20_000;
/// Jobs delivered at once.
const CHUNK: u32 = 500;
/// How long finished jobs stay listed.
const KEPT_DAYS: i64 = 30;
/// Rows that are pruned in one statement.
const PRUNE_CHUNK: u32 = 1_000;

#[derive(FromQueryResult)]
struct Due {
    id: String,
    kind: String,
}

/// Delivers jobs that are due and that the queue does not have, as far as is known, or whose worker has died; returns
/// how many. Safe to run in several processes.
///
/// # Errors
/// `INTERNAL_ERROR` when the database or the queue does not answer.
pub async fn undelivered(db: &Database, jobs: &Jobs) -> Result<usize> {
    let backend = db.write().get_database_backend();
    let skip = if backend == DbBackend::Postgres { "FOR UPDATE SKIP LOCKED" } else { "" };
    let now = db.now_ms();
    // Lost ones are few or none: looked for by a read before SQLite's one writer is asked for.
    let due = format!(
        "SELECT id FROM job WHERE (state = 'queued' AND due_at <= {now} \
         AND (delivered_at IS NULL OR delivered_at < due_at OR delivered_at < {now} - {REDELIVERY_MS})) \
         OR (state = 'running' AND lease_until < {now} \
         AND (delivered_at IS NULL OR delivered_at < lease_until OR delivered_at < {now} - {REDELIVERY_MS})) \
         ORDER BY due_at LIMIT {CHUNK}"
    );
    if db.read().query_one_raw(Statement::from_string(backend, due.clone())).await?.is_none() {
        return Ok(0);
    }
    let sql = format!("UPDATE job SET delivered_at = {now} WHERE id IN ({due} {skip}) RETURNING id, kind");
    let due = Due::find_by_statement(Statement::from_string(backend, sql)).all(db.write()).await?;
    let count = due.len();
    for lane in Lane::ALL.iter().copied() {
        let of_lane = due.iter().filter(|due| due.kind.parse().is_ok_and(|kind: Kind| kind.lane() == lane));
        let ids: Vec<JobId> = of_lane.map(|due| JobId::from(due.id.clone())).collect();
        if !ids.is_empty() {
            jobs.deliver_now(lane, &ids).await?;
        }
    }
    Ok(count)
}

/// At most `limit` jobs of a lane that have been due for longer than `wait`, or whose worker has been dead for that long; the
/// oldest first.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub async fn overdue(db: &Database, lane: Lane, wait: Duration, limit: usize) -> Result<Vec<JobId>> {
    use job::Column;
    let before = Expr::cust(format!("{} - {}", db.now_ms(), wait.as_millis()));
    let queued = Column::State.eq(JobState::Queued.as_str());
    let queued = queued.and(Expr::col(Column::DueAt).lt(before.clone()));
    let orphaned = Column::State.eq(JobState::Running.as_str());
    let orphaned = orphaned.and(Expr::col(Column::LeaseUntil).lt(before));
    let ids = job::Entity::find()
        .filter(queued.or(orphaned))
        .filter(Column::Kind.is_in(lane.kinds().map(Kind::as_str)))
        .order_by_asc(Column::DueAt)
        .limit(limit as u64)
        .select_only()
        .column(Column::Id)
        .into_tuple::<String>();
    Ok(db.in_time(ids.all(db.read())).await?.into_iter().map(JobId::from).collect())
}

/// Deletes jobs that ended some time ago; returns how many.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub async fn prune(db: &Database) -> Result<u64> {
    let before = Utc::now() - TimeDelta::days(KEPT_DAYS);
    let sql = format!(
        "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE finished_at < $1 LIMIT {PRUNE_CHUNK})"
    );
    let backend = db.write().get_database_backend();
    let mut pruned = 0;
    loop {
        let statement = Statement::from_sql_and_values(backend, &sql, [before.into()]);
        let deleted = db.write().execute_raw(statement).await?.rows_affected();
        pruned += deleted;
        if deleted < u64::from(PRUNE_CHUNK) {
            return Ok(pruned);
        }
    }
}
