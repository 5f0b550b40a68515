//! The outbox, which delivers jobs that the queue never had or has lost; and pruning of old jobs.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use entity::job;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, Statement,
    sea_query::{Expr, ExprTrait},
};

use super::{JobKind, JobState, Jobs, Lane};
use crate::Result;
use ports::id::JobId;

/// How long a delivered job may wait to start before it is delivered again. An emptied queue is full again after this
/// time. A job that waits its turn in a long lane is delivered more than once, which does no harm.
const REDELIVERY_MS: i64 = 20_000;
/// Jobs delivered at once.
const CHUNK: u32 = 500;
/// How long finished jobs are kept.
const KEPT_DAYS: i64 = 30;
/// Rows that one statement deletes.
const PRUNE_CHUNK: u32 = 1_000;

#[derive(FromQueryResult)]
struct Due {
    id: String,
    kind: String,
}

impl Jobs {
    /// Delivers due jobs that, as far as is known, the queue does not have, and those whose worker has died; returns
    /// how many. Several processes may do so at the same time.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database or the queue does not answer.
    pub async fn deliver_lost(&self) -> Result<usize> {
        let backend = self.db.write().get_database_backend();
        let skip = if backend == DbBackend::Postgres { "FOR UPDATE SKIP LOCKED" } else { "" };
        let now = self.db.now_ms();
        // Usually there are none: a read finds out before SQLite's one writer is asked for.
        let due = format!(
            "SELECT id FROM job WHERE (state = 'queued' AND due_at <= {now} \
             AND (delivered_at IS NULL OR delivered_at < due_at OR delivered_at < {now} - {REDELIVERY_MS})) \
             OR (state = 'running' AND lease_until < {now} \
             AND (delivered_at IS NULL OR delivered_at < lease_until OR delivered_at < {now} - {REDELIVERY_MS})) \
             ORDER BY due_at LIMIT {CHUNK}"
        );
        if self.db.read().query_one_raw(Statement::from_string(backend, due.clone())).await?.is_none() {
            return Ok(0);
        }
        let sql =
            format!("UPDATE job SET delivered_at = {now} WHERE id IN ({due} {skip}) RETURNING id, kind");
        let due = Due::find_by_statement(Statement::from_string(backend, sql)).all(self.db.write()).await?;
        let count = due.len();
        for lane in Lane::ALL.iter().copied() {
            let of_lane =
                due.iter().filter(|due| due.kind.parse().is_ok_and(|kind: JobKind| kind.lane() == lane));
            let ids: Vec<JobId> = of_lane.map(|due| JobId::from(due.id.clone())).collect();
            if !ids.is_empty() {
                self.deliver_now(lane, &ids).await?;
            }
        }
        Ok(count)
    }

    /// At most `limit` jobs of a lane that have been due, or whose worker has been dead, for longer than `wait`; the
    /// oldest first.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn overdue(&self, lane: Lane, wait: Duration, limit: usize) -> Result<Vec<JobId>> {
        use job::Column;
        let before = Expr::cust(format!("{} - {}", self.db.now_ms(), wait.as_millis()));
        let queued = Column::State.eq(JobState::Queued.as_str());
        let queued = queued.and(Expr::col(Column::DueAt).lt(before.clone()));
        let orphaned = Column::State.eq(JobState::Running.as_str());
        let orphaned = orphaned.and(Expr::col(Column::LeaseUntil).lt(before));
        let ids = job::Entity::find()
            .filter(queued.or(orphaned))
            .filter(Column::Kind.is_in(lane.kinds().map(JobKind::as_str)))
            .order_by_asc(Column::DueAt)
            .limit(limit as u64)
            .select_only()
            .column(Column::Id)
            .into_tuple::<String>();
        let ids = self.db.in_time(ids.all(self.db.read())).await?;
        Ok(ids.into_iter().map(JobId::from).collect())
    }

    /// Deletes jobs that ended over 30 days ago; returns how many.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn prune(&self) -> Result<u64> {
        let before = Utc::now() - TimeDelta::days(KEPT_DAYS);
        let sql = format!(
            "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE finished_at < $1 LIMIT {PRUNE_CHUNK})"
        );
        let backend = self.db.write().get_database_backend();
        let mut pruned = 0;
        loop {
            let statement = Statement::from_sql_and_values(backend, &sql, [before.into()]);
            let deleted = self.db.write().execute_raw(statement).await?.rows_affected();
            pruned += deleted;
            if deleted < u64::from(PRUNE_CHUNK) {
                return Ok(pruned);
            }
        }
    }
}
