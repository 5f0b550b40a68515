//! What is due and was not delivered, or was delivered and lost: the outbox, and pruning of old jobs.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use entity::job;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, Statement,
    sea_query::{Expr, ExprTrait},
};

use super::{Jobs, Kind, Lane, State};
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
    for lane in Lane::ALL {
        let of_lane = due.iter().filter(|due| Kind::parse(&due.kind).is_some_and(|kind| kind.lane() == lane));
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
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.lane() == lane).map(Kind::as_str);
    let before = || Expr::cust(format!("{} - {}", db.now_ms(), wait.as_millis()));
    let state = |state: State| job::Column::State.eq(state.as_str());
    let queued = state(State::Queued).and(Expr::col(job::Column::DueAt).lt(before()));
    let orphaned = state(State::Running).and(Expr::col(job::Column::LeaseUntil).lt(before()));
    let ids = job::Entity::find()
        .filter(queued.or(orphaned))
        .filter(job::Column::Kind.is_in(kinds))
        .order_by_asc(job::Column::DueAt)
        .limit(limit as u64)
        .select_only()
        .column(job::Column::Id)
        .into_tuple::<String>();
    Ok(db.in_time(ids.all(db.read())).await?.into_iter().map(JobId::from).collect())
}

pub(super) async fn mark_delivered(db: &Database, ids: &[JobId]) -> Result<()> {
    mark(db, ids, Expr::cust(db.now_ms())).await
}

pub(super) async fn mark_undelivered(db: &Database, ids: &[JobId]) -> Result<()> {
    mark(db, ids, Expr::value(Option::<i64>::None)).await
}

async fn mark(db: &Database, ids: &[JobId], at: impl Into<sea_orm::sea_query::SimpleExpr>) -> Result<()> {
    let at = at.into();
    for chunk in ids.chunks(CHUNK as usize) {
        job::Entity::update_many()
            .col_expr(job::Column::DeliveredAt, at.clone())
            .filter(job::Column::Id.is_in(chunk.iter().map(JobId::as_str)))
            .filter(job::Column::State.eq(State::Queued.as_str()))
            .exec(db.write())
            .await?;
    }
    Ok(())
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
