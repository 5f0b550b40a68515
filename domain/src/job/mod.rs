//! Background jobs. The `job` table decides what runs; a queue only delivers ids, and may lose or repeat them.
//!
//! A job is inserted in the transaction of what it works for. A worker claims it for a lease that it renews; a job whose
//! lease is over is claimed by another. So a job may run more than once, and its handler must be idempotent: it ends
//! once, in one transaction with what its end means for its subject.

mod admin;
mod end;
mod handler;
mod kind;
mod new;
mod outbox;
mod queue;
mod run;
mod schedule;

pub use admin::{JobFilter, JobRow, QueueState, cancel, count_jobs, find, jobs, queue_states, retry};
pub use end::{
    Ending, JobEnd, JobEndTable, State, cancel_all, cancel_queued, end_queued, request_cancel, wake,
};
pub use handler::{Failure, Handler, Handlers};
pub use kind::{Kind, Lane};
pub use new::{NewJob, insert};
pub use outbox::{prune, undelivered, waiting_since};
pub use queue::{JobQueue, Jobs, QueueError};
pub use run::{Job, JobRun, run};
pub use schedule::claim_schedule;
