//! The workers of the deployment, as its operators see them.

use std::collections::HashMap;

use async_graphql::{Context, ID, SimpleObject};
use domain::background::job::WorkerRow;
use ports::id::JobId;

use super::job::Job;
use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
};

/// A process that runs background jobs.
#[derive(SimpleObject)]
pub(crate) struct Worker {
    /// The worker's id, `worker_…`; new for each process.
    id: ID,
    /// The host, and the number of the process on it.
    name: String,
    /// The version of Gavel that it runs.
    version: String,
    /// When it was started.
    started_at: DateTime,
    /// When it last reported; it does so every five seconds.
    seen_at: DateTime,
    /// Whether it is lost: it has not reported for 20 seconds. A worker that was stopped is not listed.
    lost: bool,
    /// The jobs that it ran at its last report.
    jobs: Vec<Job>,
}

/// The workers that have reported within a day.
pub(super) async fn workers(ctx: &Context<'_>) -> FieldResult<Vec<Worker>> {
    let services = services(ctx)?;
    let rows = services.workers.list().await.map_err(field_error)?;
    let ids: Vec<JobId> = rows.iter().flat_map(|row| row.jobs.iter().cloned()).collect();
    let jobs = services.jobs.find_many(&ids).await.map_err(field_error)?;
    let mut jobs: HashMap<JobId, _> = jobs.into_iter().map(|job| (job.id.clone(), job)).collect();
    Ok(rows.into_iter().map(|row| worker(row, &mut jobs)).collect())
}

fn worker(row: WorkerRow, jobs: &mut HashMap<JobId, domain::background::job::JobRow>) -> Worker {
    Worker {
        id: ID(row.id.to_string()),
        name: row.name,
        version: row.version,
        started_at: row.started_at.into(),
        seen_at: row.seen_at.into(),
        lost: row.lost,
        jobs: row.jobs.iter().filter_map(|id| jobs.remove(id)).map(Job::from).collect(),
    }
}
