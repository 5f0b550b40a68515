//! `gavel jobs`.

use anyhow::anyhow;
use clap::Subcommand;
use domain::{
    background::job::{self, JobFilter, JobKind, JobRow, JobState},
    foundation::{
        audit::COMMAND_LINE,
        database::Database,
        page::{Page, Take},
    },
};
use ports::id::JobId;
use serde_json::{Value, json};

use super::{
    arguments::number,
    output::{Output, table},
};

/// List, retry and cancel background jobs.
#[derive(Subcommand)]
pub(super) enum Jobs {
    /// List jobs, newest first.
    List {
        /// List only jobs in this state: queued, running, succeeded, failed or cancelled.
        #[arg(long, value_parser = state)]
        state: Option<JobState>,
        /// List only jobs of this kind, such as train_checkpoint.
        #[arg(long, value_parser = kind)]
        kind: Option<JobKind>,
        /// List only jobs for this `batch_…`, `ckpt_…`, `eval_…` or `webhook_…`.
        #[arg(long)]
        subject: Option<String>,
        /// Maximum number of jobs to list.
        #[arg(long, default_value = "50", value_parser = |text: &str| number(text, 1_u64..=1_000))]
        limit: u64,
    },
    /// Run a queued job now, with its attempts reset. A failed webhook delivery is queued again.
    Retry {
        /// `job_…`
        job: JobId,
    },
    /// Cancel a job. A worker ends it within seconds and releases the credits that it holds.
    Cancel {
        /// `job_…`
        job: JobId,
    },
}

fn state(name: &str) -> anyhow::Result<JobState> {
    name.parse().map_err(|_| anyhow!("must be one of: {}", names(JobState::ALL)))
}

fn kind(name: &str) -> anyhow::Result<JobKind> {
    name.parse().map_err(|_| anyhow!("must be one of: {}", names(JobKind::ALL)))
}

fn names<T: Copy + Into<&'static str>>(all: &[T]) -> String {
    all.iter().map(|one| (*one).into()).collect::<Vec<&str>>().join(", ")
}

impl Jobs {
    pub(super) async fn run(self, db: &Database, output: &Output) -> anyhow::Result<()> {
        // The command line has no queue: workers find due jobs in the table.
        let jobs = job::Jobs::new(db.clone(), None);
        match self {
            Jobs::List { state, kind, subject, limit } => {
                let page = Page { after: None, before: None, take: Take::First(limit) };
                let filter = JobFilter { state, kind, subject };
                let rows = jobs.list(filter.clone(), page).await?;
                let total = jobs.count(filter).await?;
                let lines: Vec<_> = rows
                    .items
                    .iter()
                    .map(|row| {
                        [
                            row.id.to_string(),
                            row.kind.clone(),
                            row.state.as_str().to_owned(),
                            format!("{}/{}", row.attempts, row.max_attempts),
                            row.subject.clone(),
                            row.created_at.to_rfc3339(),
                            row.error.clone().unwrap_or_default(),
                        ]
                    })
                    .collect();
                let listed: Vec<_> = rows.items.iter().map(as_json).collect();
                output.show(
                    &table(["JOB", "KIND", "STATE", "ATTEMPTS", "FOR", "CREATED", "ERROR"], &lines),
                    json!({ "jobs": listed, "total": total }),
                );
            }
            Jobs::Retry { job } => {
                let row = jobs.retry(COMMAND_LINE, &job).await?;
                output.show(
                    &format!("{job} is {} and will run immediately", row.state.as_str()),
                    as_json(&row),
                );
            }
            Jobs::Cancel { job } => {
                let row = jobs.cancel(COMMAND_LINE, &job).await?;
                output.show(&format!("{job} is being cancelled"), as_json(&row));
            }
        }
        Ok(())
    }
}

fn as_json(row: &JobRow) -> Value {
    json!({
        "job_id": row.id, "kind": row.kind, "state": row.state.as_str(), "account_id": row.account,
        "subject": row.subject, "attempts": row.attempts, "max_attempts": row.max_attempts,
        "cancel_requested": row.cancel_requested, "error": row.error, "created_at": row.created_at,
        "started_at": row.started_at, "finished_at": row.finished_at,
    })
}
