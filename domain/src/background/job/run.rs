//! Runs a job: claims it, renews its lease while its handler works, and writes its end.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use entity::job;
use futures_util::FutureExt;
use opentelemetry::{Context, trace::SpanKind};
use sea_orm::{ConnectionTrait, EntityTrait, Statement, Value};
use tokio::{
    sync::watch,
    time::{Instant, MissedTickBehavior},
};
use tracing::Span;

use super::{
    Ending, Failure, Handler, Handlers, Job, JobRun, JobState, RunningJobs, end, interruption::Interruption,
    retry::retried, turn::RunTurn,
};
use crate::{
    Error, Result,
    foundation::{database::Database, traces::Traced},
    money::credits::lock_account,
};
use ports::id::JobId;

/// How long a lease lasts unless it is renewed.
const LEASE: Duration = Duration::from_secs(15);
/// How often a lease is renewed. Requests to cancel are seen then.
const RENEWAL: Duration = Duration::from_secs(2);
/// How long a handler may take to stop after an interruption.
const GRACE: Duration = Duration::from_secs(5);
/// The pause after the first failure; each further one doubles it.
const FIRST_BACKOFF: Duration = Duration::from_secs(2);
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// Runs jobs for a worker. Cheap to clone.
#[derive(Clone)]
pub struct JobRunner {
    pub db: Database,
    pub handlers: Handlers,
    /// What this process runs.
    pub running: RunningJobs,
    /// Turns true when the process is about to end.
    pub stopping: watch::Receiver<bool>,
}

impl JobRunner {
    /// Runs a job that was claimed under `token`.
    pub(super) async fn run_claimed(&self, row: job::Model, token: String, turn: Arc<RunTurn>) -> Result<()> {
        let cancelled = row.cancel_requested;
        let due_at = row.due_at;
        let last_error = row.error.clone();
        let job = Job::try_from(row)?;
        let _running = self.running.begin(&job.id);
        let kind = job.kind.as_str();
        let Some(handler) = self.handlers.of(job.kind) else {
            return Err(Error::internal(format!("no handler for {kind}")));
        };
        let waited = chrono::Utc::now().timestamp_millis() - due_at;
        metrics::histogram!("gavel_job_wait_seconds", "kind" => kind).record(waited.max(0) as f64 / 1e3);
        let (interrupt, interruption) = watch::channel(None);
        let run = JobRun { job, token, interruption, turn };
        let ending = if cancelled {
            Some(Ending::Cancelled)
        } else if run.job.attempts > run.job.max_attempts {
            // Its workers died, and a job that kills workers must not run again.
            Some(Ending::Failed(last_error.unwrap_or_else(|| "its workers died".to_owned())))
        } else {
            let traced = Traced::begin(&Context::new(), &SpanKind::Consumer, || job_span(&run.job));
            traced.run(self.attempt(handler, &run, interrupt)).await?
        };
        let Some(ending) = ending else { return Ok(()) };
        self.write_end(handler, &run, ending).await
    }

    /// Runs the handler once; returns the job's end, or none when the job continues later or elsewhere.
    async fn attempt(
        &self,
        handler: &Arc<dyn Handler>,
        run: &JobRun,
        interrupt: watch::Sender<Option<Interruption>>,
    ) -> Result<Option<Ending>> {
        let job = &run.job;
        let start = Instant::now();
        let work = AssertUnwindSafe(handler.run(run)).catch_unwind();
        let result = tokio::select! {
            result = work => result.unwrap_or_else(|_| {
                Err(Failure::Retry(Error::internal("the job panicked; the log says where")))
            }),
            () = run.turn.used_up(job.kind.timeout()) => {
                Err(Failure::Retry(Error::internal("the job took too long")))
            }
            () = self.renew(run, interrupt) => Err(Failure::Interrupted),
        };
        let kind = job.kind.as_str();
        metrics::histogram!("gavel_job_seconds", "kind" => kind).record(start.elapsed().as_secs_f64());
        let outcome = match &result {
            Ok(()) => "succeeded",
            Err(Failure::Retry(_) | Failure::RetryAfter(..)) => "retried",
            Err(Failure::Postponed(_)) => "postponed",
            Err(Failure::Fatal(_)) => "failed",
            Err(Failure::Obsolete) => "cancelled",
            Err(Failure::Interrupted) => "interrupted",
        };
        metrics::counter!("gavel_job_runs_total", "kind" => kind, "outcome" => outcome).increment(1);
        match result {
            Ok(()) => Ok(Some(Ending::Succeeded)),
            Err(Failure::Fatal(why)) => Ok(Some(Ending::Failed(why))),
            Err(Failure::Obsolete) => Ok(Some(Ending::Cancelled)),
            Err(Failure::Retry(error)) => {
                let cause = error.with_cause();
                tracing::warn!(job = %job.id, kind, attempt = job.attempts, cause, "a job failed");
                self.retry(run, error, backoff(job.attempts)).await
            }
            Err(Failure::RetryAfter(error, delay)) => {
                let cause = error.with_cause();
                tracing::debug!(job = %job.id, kind, attempt = job.attempts, cause, "a job failed");
                self.retry(run, error, delay).await
            }
            Err(Failure::Postponed(delay)) => {
                self.requeue(run, delay, None).await?;
                Ok(None)
            }
            Err(Failure::Interrupted) => match run.interruption() {
                Some(Interruption::Cancelled) => Ok(Some(Ending::Cancelled)),
                Some(Interruption::LeaseLost) => Ok(None),
                Some(Interruption::Stopping) | None => {
                    self.requeue(run, Duration::ZERO, None).await?;
                    Ok(None)
                }
            },
        }
    }

    /// Queues a failed job again, unless this was its last attempt: then it ends.
    async fn retry(&self, run: &JobRun, error: Error, delay: Duration) -> Result<Option<Ending>> {
        if run.job.attempts >= run.job.max_attempts {
            return Ok(Some(Ending::Failed(error.message)));
        }
        self.requeue(run, delay, Some(&error.with_cause())).await?;
        Ok(None)
    }

    /// Renews the lease until the handler should have stopped.
    async fn renew(&self, run: &JobRun, interrupt: watch::Sender<Option<Interruption>>) {
        let db = &self.db;
        let mut stopping = self.stopping.clone();
        let mut tick = tokio::time::interval_at(Instant::now() + RENEWAL, RENEWAL);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut renewed = Instant::now();
        let why = loop {
            tokio::select! {
                _ = tick.tick() => {}
                Ok(_) = stopping.wait_for(|stopping| *stopping) => break Interruption::Stopping,
            }
            match db.in_time(extend(db, run)).await {
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
        // The job is still ours while the handler stops.
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            tokio::time::sleep(RENEWAL.min(deadline - Instant::now())).await;
            let _ = db.in_time(extend(db, run)).await;
        }
    }

    async fn write_end(&self, handler: &Arc<dyn Handler>, run: &JobRun, ending: Ending) -> Result<()> {
        let JobRun { job, token, .. } = run;
        let written = retried(|| async {
            // The charge of the work may have ended the job, or another run owns it. Then the account is not locked.
            if !self.db.in_time(end::is_owned(self.db.read(), &job.id, token)).await? {
                return Ok(false);
            }
            let tx = self.db.begin().await?;
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

    /// Gives a job back to the queue. A run without an error was interrupted or postponed: it does not count as an
    /// attempt.
    async fn requeue(&self, run: &JobRun, delay: Duration, error: Option<&str>) -> Result<()> {
        let backend = self.db.write().get_database_backend();
        let sql = format!(
            "UPDATE job SET state = 'queued', due_at = {} + $3, delivered_at = NULL, lease_until = NULL, \
             worker = NULL, error = COALESCE($4, error), attempts = attempts - $5 \
             WHERE id = $1 AND worker = $2 AND state = 'running'",
            self.db.now_ms()
        );
        let values = [
            run.job.id.as_str().into(),
            run.token.as_str().into(),
            i64::try_from(delay.as_millis()).unwrap_or(i64::MAX).into(),
            error.map(str::to_owned).into(),
            i32::from(error.is_none()).into(),
        ];
        self.db.write().execute_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
        Ok(())
    }
}

/// The span of a run.
fn job_span(job: &Job) -> Span {
    let kind = job.kind.as_str();
    tracing::info_span!(
        parent: None, "job", otel.name = kind, otel.kind = "consumer", kind, job = %job.id, attempt = job.attempts,
    )
}

fn backoff(attempts: i32) -> Duration {
    let doublings = u32::try_from(attempts - 1).unwrap_or(0).min(16);
    FIRST_BACKOFF.saturating_mul(1 << doublings).min(MAX_BACKOFF)
}

/// The SQL condition of a job that may start.
fn claimable(db: &Database) -> String {
    let now = db.now_ms();
    format!(
        "((state = 'queued' AND (due_at <= {now} OR cancel_requested)) \
         OR (state = 'running' AND lease_until < {now}))"
    )
}

/// Reads a job that may start. Repeated deliveries are common and must not take SQLite's one writer.
pub(super) async fn look(db: &Database, id: &JobId) -> Result<Option<job::Model>> {
    let look = format!("SELECT * FROM job WHERE id = $1 AND {}", claimable(db));
    let look = Statement::from_sql_and_values(db.read().get_database_backend(), look, [id.as_str().into()]);
    Ok(job::Entity::find().from_raw_sql(look).one(db.read()).await?)
}

/// Makes the run `token` the owner of a job that may start. `which` is the SQL expression of the job's id, with the
/// parameters `values` from `$3` on.
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

/// Renews a lease; true when the job should be cancelled, none when another run owns it.
async fn extend(db: &Database, run: &JobRun) -> Result<Option<bool>> {
    let backend = db.write().get_database_backend();
    let sql = format!(
        "UPDATE job SET lease_until = {} + {} WHERE id = $1 AND worker = $2 AND state = $3 RETURNING *",
        db.now_ms(),
        LEASE.as_millis()
    );
    let values = [run.job.id.as_str().into(), run.token.as_str().into(), JobState::Running.as_str().into()];
    let statement = Statement::from_sql_and_values(backend, sql, values);
    let row = job::Entity::find().from_raw_sql(statement).one(db.write()).await?;
    Ok(row.map(|row| row.cancel_requested))
}
