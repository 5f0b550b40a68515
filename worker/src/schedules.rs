//! Periodic tasks. A row in the `schedule` table ensures that each runs in one worker at a time.

use std::{future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc, time::Duration};

use domain::{Result, background::job, foundation::database::Database};
use futures_util::{FutureExt, future::join_all};
use tokio::sync::watch;

/// How often a worker looks for due tasks; no task runs more often.
const TICK: Duration = Duration::from_secs(1);

type Task = dyn Fn() -> Pin<Box<dyn Future<Output = Result<()>> + Send>> + Send + Sync;

/// A periodic task.
#[derive(Clone)]
pub struct Schedule {
    pub name: &'static str,
    pub every: Duration,
    task: Arc<Task>,
}

impl Schedule {
    /// Runs `task` with a clone of `service` once in each period, in one of the workers.
    pub fn new<S, F>(
        name: &'static str,
        every: Duration,
        service: S,
        task: impl Fn(S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Clone + Send + Sync + 'static,
        F: Future<Output = Result<()>> + Send + 'static,
    {
        Self { name, every, task: Arc::new(move || Box::pin(task(service.clone()))) }
    }
}

/// Runs the tasks whenever they are due, each independently, until the process drains.
pub(crate) async fn run(db: Database, schedules: Vec<Schedule>, draining: watch::Receiver<bool>) {
    let each = schedules.into_iter().map(|schedule| repeat(db.clone(), schedule, draining.clone()));
    join_all(each.map(tokio::spawn)).await;
}

async fn repeat(db: Database, schedule: Schedule, mut draining: watch::Receiver<bool>) {
    let mut tick = tokio::time::interval(schedule.every.max(TICK));
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            _ = draining.wait_for(|draining| *draining) => return,
        }
        match AssertUnwindSafe(run_if_due(&db, &schedule)).catch_unwind().await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(task = schedule.name, cause = error.with_cause(), "periodic task failed");
            }
            Err(_) => {
                tracing::error!(task = schedule.name, "periodic task panicked; it runs again when it is due")
            }
        }
    }
}

async fn run_if_due(db: &Database, schedule: &Schedule) -> Result<()> {
    // A little less than the period, so that this worker's own next tick finds the task due.
    if job::claim_schedule(db, schedule.name, schedule.every.mul_f64(0.9)).await? {
        (schedule.task)().await?;
    }
    Ok(())
}
