//! Runs a job: claims it, renews its lease while its handler works, and writes its end.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use entity::job;
use futures_util::FutureExt;
use sea_orm::{EntityTrait, Statement, Value};
use tokio::{
    sync::watch,
    time::{Instant, MissedTickBehavior},
};

use super::{
    Ending, Failure, Handler, Handlers, Job, JobRun, JobState, claimed::Interruption, end, retry::retried,
};
use crate::{Error, Result, foundation::database::Database, money::credits::lock_account};
use ports::id::JobId;

/// How long a worker owns a job without renewing its lease.
const LEASE: Duration = Duration::from_secs(15);
/// How often a lease is renewed, and a request to cancel is seen.
const RENEWAL: Duration = Duration::from_secs(2);
/// How long a handler may take to obey an interruption.
const GRACE: Duration = Duration::from_secs(5);
/// The pause after the first failure; each further one doubles it.
const FIRST_BACKOFF: Duration = Duration::from_secs(2);
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// Runs a job that the run `token` owns.
pub(super) async fn run_claimed(
    db: &Database,
    handlers: &Handlers,
    row: job::Model,
    token: String,
    stopping: watch::Receiver<bool>,
) -> Result<()> {
    let cancelled = row.cancel_requested;
    let due_at = row.due_at;
    let last_error = row.error.clone();
    let job = Job::try_from(row)?;
    let kind = job.kind;
    let Some(handler) = handlers.of(kind) else {
        return Err(Error::internal(format!("no handler for {}", kind.as_str())));
    };
    let waited = chrono::Utc::now().timestamp_millis() - due_at;
    metrics::histogram!("gavel_job_wait_seconds", "kind" => kind.as_str()).record(waited.max(0) as f64 / 1e3);
    let ending = if cancelled {
        Some(Ending::Cancelled)
    } else if job.attempts > job.max_attempts {
        // Its workers died: what kills workers must not do so for ever.
        Some(Ending::Failed(last_error.unwrap_or_else(|| "its workers died".to_owned())))
    } else {
        attempt(db, handler, &job, &token, stopping).await?
    };
    let Some(ending) = ending else { return Ok(()) };
    write_end(db, handler, &job, &token, ending).await
}

/// Runs the handler once; returns the job's end, or none when the job goes on later or elsewhere.
async fn attempt(
    db: &Database,
    handler: &Arc<dyn Handler>,
    job: &Job,
    token: &str,
    stopping: watch::Receiver<bool>,
) -> Result<Option<Ending>> {
    let (interrupt, interruption) = watch::channel(None);
    let run = JobRun { job: job.clone(), token: token.to_owned(), interruption: interruption.clone() };
    let start = Instant::now();
    let renewal = renew(db.clone(), job.id.clone(), token.to_owned(), interrupt, stopping);
    let work = AssertUnwindSafe(handler.run(&run)).catch_unwind();
    let work = tokio::time::timeout(job.kind.timeout(), work);
    let result = tokio::select! {
        result = work => match result {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Failure::Retry(Error::internal("the job panicked; the log says where"))),
            Err(_) => Err(Failure::Retry(Error::internal("the job took too long"))),
        },
        () = renewal => Err(Failure::Interrupted),
    };
    let kind = job.kind.as_str();
    metrics::histogram!("gavel_job_seconds", "kind" => kind).record(start.elapsed().as_secs_f64());
    let outcome = match &result {
        Ok(()) => "succeeded",
        Err(Failure::Retry(_) | Failure::RetryAfter(..)) => "retried",
        Err(Failure::Postponed(_)) => "postponed",
        Err(Failure::Fatal(_)) => "failed",
        Err(Failure::Interrupted) => "interrupted",
    };
    metrics::counter!("gavel_job_runs_total", "kind" => kind, "outcome" => outcome).increment(1);
    match result {
        Ok(()) => Ok(Some(Ending::Succeeded)),
        Err(Failure::Fatal(why)) => Ok(Some(Ending::Failed(why))),
        Err(Failure::Retry(error)) => {
            tracing::warn!(job = %job.id, kind, attempt = job.attempts, cause = error.with_cause(), "a job failed");
            retry(db, job, token, error, backoff(job.attempts)).await
        }
        Err(Failure::RetryAfter(error, delay)) => {
            tracing::debug!(job = %job.id, kind, attempt = job.attempts, cause = error.with_cause(), "a job failed");
            retry(db, job, token, error, delay).await
        }
        Err(Failure::Postponed(delay)) => {
            requeue(db, job, token, delay, None, true).await?;
            Ok(None)
        }
        Err(Failure::Interrupted) => {
            let why = *interruption.borrow();
            match why {
                Some(Interruption::Cancelled) => Ok(Some(Ending::Cancelled)),
                Some(Interruption::LeaseLost) => Ok(None),
                _ => {
                    requeue(db, job, token, Duration::ZERO, None, true).await?;
                    Ok(None)
                }
            }
        }
    }
}

/// Queues a failed job again, unless this was its last attempt: then it ends.
async fn retry(
    db: &Database,
    job: &Job,
    token: &str,
    error: Error,
    delay: Duration,
) -> Result<Option<Ending>> {
    if job.attempts >= job.max_attempts {
        return Ok(Some(Ending::Failed(error.message)));
    }
    requeue(db, job, token, delay, Some(&error.with_cause()), false).await?;
    Ok(None)
}

/// Renews the lease until the handler should have stopped.
async fn renew(
    db: Database,
    id: JobId,
    token: String,
    interrupt: watch::Sender<Option<Interruption>>,
    mut stopping: watch::Receiver<bool>,
) {
    let mut tick = tokio::time::interval_at(Instant::now() + RENEWAL, RENEWAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut renewed = Instant::now();
    let why = loop {
        tokio::select! {
            _ = tick.tick() => {}
            Ok(_) = stopping.wait_for(|stopping| *stopping) => break Interruption::Stopping,
        }
        match db.in_time(extend(&db, &id, &token)).await {
            Ok(Some(true)) => break Interruption::Cancelled,
            Ok(Some(false)) => renewed = Instant::now(),
            Ok(None) => break Interruption::LeaseLost,
            Err(_) if renewed.elapsed() + RENEWAL < LEASE => {}
            Err(_) => break Interruption::LeaseLost,
        }
    };
    interrupt.send_replace(Some(why));
    if why == Interruption::LeaseLost {
        return;
    }
    // The job is still ours while the handler comes to its end.
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline {
        tokio::time::sleep(RENEWAL.min(deadline - Instant::now())).await;
        let _ = db.in_time(extend(&db, &id, &token)).await;
    }
}

async fn write_end(
    db: &Database,
    handler: &Arc<dyn Handler>,
    job: &Job,
    token: &str,
    ending: Ending,
) -> Result<()> {
    let written = retried(|| async {
        // The charge of the work may have ended the job, or another run owns it: a look spares the account's lock.
        if !db.in_time(end::is_owned(db.read(), &job.id, token)).await? {
            return Ok(false);
        }
        let tx = db.begin().await?;
        if let Some(account) = &job.account {
            lock_account(&tx, account).await?;
        }
        if !end::write(&tx, &job.id, token, &ending).await? {
            return Ok(false);
        }
        handler.subject().ended(&tx, job, &ending).await?;
        tx.commit().await?;
        Ok(true)
    });
    if written.await? {
        handler.subject().announce(job);
    }
    Ok(())
}

fn backoff(attempts: i32) -> Duration {
    let doublings = u32::try_from(attempts - 1).unwrap_or(0).min(16);
    FIRST_BACKOFF.saturating_mul(1 << doublings).min(MAX_BACKOFF)
}

/// The condition of a job that may be begun.
fn claimable(db: &Database) -> String {
    let now = db.now_ms();
    format!(
        "((state = 'queued' AND (due_at <= {now} OR cancel_requested)) \
         OR (state = 'running' AND lease_until < {now}))"
    )
}

/// Reads a job that may be begun. A repeated delivery is common and must not take SQLite's one writer.
pub(super) async fn look(db: &Database, id: &JobId) -> Result<Option<job::Model>> {
    let look = format!("SELECT * FROM job WHERE id = $1 AND {}", claimable(db));
    let look = Statement::from_sql_and_values(db.read().get_database_backend(), look, [id.as_str().into()]);
    Ok(job::Entity::find().from_raw_sql(look).one(db.read()).await?)
}

/// Makes a run the owner of a job, unless it may not be begun. `which` is the SQL of its id, with the parameters `values` from
/// `$3` on.
pub(super) async fn claim(
    db: &Database,
    token: &str,
    which: &str,
    values: Vec<Value>,
) -> Result<Option<job::Model>> {
    let sql = format!(
        "UPDATE job SET state = 'running', worker = $1, attempts = attempts + 1, \
         started_at = COALESCE(started_at, $2), lease_until = {} + {} WHERE id = {which} AND {} RETURNING *",
        db.now_ms(),
        LEASE.as_millis(),
        claimable(db)
    );
    let mut all = vec![token.into(), chrono::Utc::now().into()];
    all.extend(values);
    let statement = Statement::from_sql_and_values(db.write().get_database_backend(), sql, all);
    Ok(job::Entity::find().from_raw_sql(statement).one(db.write()).await?)
}

/// Renews a lease; true when the job should be cancelled, none when it is another's.
async fn extend(db: &Database, id: &JobId, token: &str) -> Result<Option<bool>> {
    let backend = db.write().get_database_backend();
    let sql = format!(
        "UPDATE job SET lease_until = {} + {} WHERE id = $1 AND worker = $2 AND state = $3 RETURNING *",
        db.now_ms(),
        LEASE.as_millis()
    );
    let values = [id.as_str().into(), token.into(), JobState::Running.as_str().into()];
    let statement = Statement::from_sql_and_values(backend, sql, values);
    let row = job::Entity::find().from_raw_sql(statement).one(db.write()).await?;
    Ok(row.map(|row| row.cancel_requested))
}

/// Gives a job back to the queue; a run that was only interrupted or postponed is not counted, and leaves the last error.
async fn requeue(
    db: &Database,
    job: &Job,
    token: &str,
    delay: Duration,
    error: Option<&str>,
    uncounted: bool,
) -> Result<()> {
    let backend = db.write().get_database_backend();
    let sql = format!(
        "UPDATE job SET state = 'queued', due_at = {} + $3, delivered_at = NULL, lease_until = NULL, worker = NULL, \
         error = COALESCE($4, error), attempts = attempts - $5 WHERE id = $1 AND worker = $2 AND state = 'running'",
        db.now_ms()
    );
    let values = [
        job.id.as_str().into(),
        token.into(),
        i64::try_from(delay.as_millis()).unwrap_or(i64::MAX).into(),
        error.map(str::to_owned).into(),
        i32::from(uncounted).into(),
    ];
    let statement = Statement::from_sql_and_values(backend, sql, values);
    sea_orm::ConnectionTrait::execute_raw(db.write(), statement).await?;
    Ok(())
}
