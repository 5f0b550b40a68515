//! Background jobs. The `job` table decides what runs; a queue only delivers ids, and may lose or repeat them.
//!
//! A job is inserted in the transaction of what it works for. A worker claims it for a lease that it renews; a job whose
//! lease is over is claimed by another. So a job may run more than once, and its handler must be idempotent: it ends
//! once, in one transaction with what its end means for its subject.

mod admin;
mod end;
mod fair_share;
mod handler;
mod kind;
mod new;
mod outbox;
mod paid;
mod queue;
mod retry;
mod run;
mod schedule;

pub use admin::{JobFilter, JobRow, QueueState, cancel, count_jobs, find, jobs, queue_states, retry};
pub use end::{Ending, JobEnd, JobEndTable, State, cancel_all, end_queued, wake};
pub use fair_share::{FairShare, run};
pub use handler::{Failure, Handler, Handlers};
pub use kind::{Kind, Lane};
pub use new::{NewJob, insert};
pub use outbox::{overdue, prune, undelivered};
pub(crate) use paid::{Cancellation, Subject, Submission, begun, cancel_paid, end_subject, subject};
pub use queue::{JobQueue, Jobs, QueueError};
pub(crate) use retry::retried;
pub use run::{Job, JobRun};
pub use schedule::claim_schedule;
