//! Background jobs. The `job` table decides what runs; a queue only delivers ids, and may lose or repeat them.
//!
//! A job is inserted in the transaction of what it works for. A worker claims it for a lease that it renews; a job whose
//! lease is over is claimed by another. So a job may run more than once, and its handler must be idempotent: it ends
//! once, in one transaction with what its end means for its subject.

mod admin;
mod claimed;
mod end;
mod fair_share;
mod handler;
mod jobs;
mod kind;
mod new;
mod outbox;
mod paid;
mod queue;
mod retry;
mod run;
mod schedule;
mod state;
mod subject_table;

pub use admin::{JobFilter, JobRow, QueueState, cancel, count_jobs, find, jobs, queue_states, retry};
pub use claimed::{Job, JobRun};
pub use end::{JobEnd, JobEndTable, cancel_all, end_queued, wake};
pub use fair_share::{FairShare, run};
pub use handler::{Failure, Handler, Handlers, JobSubject};
pub use jobs::Jobs;
pub use kind::{Kind, Lane};
pub use new::{NewJob, insert};
pub use outbox::{overdue, prune, undelivered};
pub use paid::PaidJobs;
pub(crate) use paid::{Cancellation, PaidWork};
pub use queue::{JobQueue, QueueError};
pub(crate) use retry::retried;
pub use schedule::claim_schedule;
pub use state::{Ending, JobState};
pub(crate) use subject_table::{
    SubjectTable, begun, end_subject, find_rows, of_account, read_row, subject_table, sum,
};
