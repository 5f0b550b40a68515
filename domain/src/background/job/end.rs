//! Ends a job exactly once, in the transaction that writes its consequences.

use async_trait::async_trait;
use chrono::Utc;
use entity::job;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, PaginatorTrait, QueryFilter,
    Statement, UpdateMany, sea_query::Expr,
};

use super::{Ending, Job, JobState};
use crate::{
    Result,
    foundation::database::Database,
    money::credits::{PostedRow, SideTable},
};
use ports::id::JobId;

/// A side row that ends a job as succeeded in the commit of its charge. The commit is rolled back when another worker
/// has taken the job over.
#[derive(Clone, Debug)]
pub struct JobEnd {
    pub job: JobId,
    /// The run that owns the job.
    pub token: String,
}

/// Writes [`JobEnd`]s.
pub struct JobEndTable;

#[async_trait]
impl SideTable for JobEndTable {
    type Row = JobEnd;

    async fn write(&self, tx: &DatabaseTransaction, rows: &[PostedRow<'_, JobEnd>]) -> Result<(), DbErr> {
        for PostedRow { row: JobEnd { job, token }, .. } in rows {
            if !write(tx, job, token, &Ending::Succeeded).await? {
                return Err(DbErr::Custom(format!("{job} is run by another worker")));
            }
        }
        Ok(())
    }

    fn bytes(&self, _: &JobEnd) -> usize {
        128
    }
}

/// Whether the run `token` owns a job.
pub(super) async fn is_owned(on: &impl ConnectionTrait, id: &JobId, token: &str) -> Result<bool> {
    let owned = job::Entity::find_by_id(id.as_str())
        .filter(job::Column::State.eq(JobState::Running.as_str()))
        .filter(job::Column::Worker.eq(token));
    Ok(owned.count(on).await? > 0)
}

/// Ends a job that the run `token` owns; false if it no longer owns it.
pub(super) async fn write(
    tx: &impl ConnectionTrait,
    id: &JobId,
    token: &str,
    ending: &Ending,
) -> Result<bool, DbErr> {
    let ended = finished(ending)
        .filter(job::Column::Id.eq(id.as_str()))
        .filter(job::Column::State.eq(JobState::Running.as_str()))
        .filter(job::Column::Worker.eq(token));
    Ok(ended.exec(tx).await?.rows_affected > 0)
}

/// Ends a queued job on the transaction that does its work; none when the job is running or has ended. Its account
/// should be locked.
///
/// # Errors
/// When the database does not answer.
pub async fn end_queued(tx: &impl ConnectionTrait, id: &JobId, ending: &Ending) -> Result<Option<Job>> {
    let ended = finished(ending)
        .filter(job::Column::Id.eq(id.as_str()))
        .filter(job::Column::State.eq(JobState::Queued.as_str()));
    ended.exec_with_returning(tx).await?.pop().map(Job::try_from).transpose()
}

/// Asks the worker that runs a job to cancel it. The worker sees the request when it next renews the lease.
///
/// # Errors
/// When the database does not answer.
pub(super) async fn request_cancel(tx: &impl ConnectionTrait, id: &JobId) -> Result<()> {
    ask_to_cancel(tx, job::Column::Id.eq(id.as_str())).await
}

/// Cancels all jobs of a subject on the transaction that ends it: ends the queued ones, and asks the workers of running
/// ones to stop.
///
/// # Errors
/// When the database does not answer.
pub async fn cancel_all(tx: &impl ConnectionTrait, subject: &str) -> Result<()> {
    let of_subject = job::Column::Subject.eq(subject);
    finished(&Ending::Cancelled)
        .filter(of_subject.clone())
        .filter(job::Column::State.eq(JobState::Queued.as_str()))
        .exec(tx)
        .await?;
    ask_to_cancel(tx, of_subject).await
}

async fn ask_to_cancel(tx: &impl ConnectionTrait, which: Expr) -> Result<()> {
    job::Entity::update_many()
        .col_expr(job::Column::CancelRequested, Expr::value(true))
        .filter(which)
        .filter(job::Column::State.is_in(JobState::OPEN))
        .exec(tx)
        .await?;
    Ok(())
}

/// Makes a queued job due now.
///
/// # Errors
/// When the database does not answer.
pub async fn wake(db: &Database, tx: &impl ConnectionTrait, id: &JobId) -> Result<()> {
    let sql = format!(
        "UPDATE job SET due_at = {now}, delivered_at = NULL WHERE id = $1 AND state = 'queued' AND due_at > {now}",
        now = db.now_ms()
    );
    let backend = tx.get_database_backend();
    tx.execute_raw(Statement::from_sql_and_values(backend, sql, [id.as_str().into()])).await?;
    Ok(())
}

fn finished(ending: &Ending) -> UpdateMany<job::Entity> {
    job::Entity::update_many()
        .col_expr(job::Column::State, Expr::value(ending.state().as_str()))
        .col_expr(job::Column::Error, Expr::value(ending.error().map(str::to_owned)))
        .col_expr(job::Column::LeaseUntil, Expr::value(Option::<i64>::None))
        .col_expr(job::Column::FinishedAt, Expr::value(Utc::now()))
}
