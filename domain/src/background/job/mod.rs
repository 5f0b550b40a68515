//! Background jobs. The `job` table decides what runs; a queue only delivers ids, and may lose or repeat them.
//!
//! A job is inserted in the transaction of what it works for. A worker claims it under a lease, which it renews; when
//! the lease expires, another worker claims the job. So a job may run more than once, and its handler must be
//! idempotent. It ends once, in one transaction with what its end means for its subject.

mod admin;
mod claimed;
mod deliver;
mod end;
mod fair_share;
mod handler;
mod interruption;
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
mod subject_record;
mod subject_table;
mod turn;
mod workers;

pub use admin::{JobFilter, JobRow, QueueState};
pub use claimed::{Job, JobRun};
pub use end::{JobEnd, JobEndTable, cancel_all, end_queued, wake};
pub use fair_share::FairShare;
pub use handler::{Failure, Handler, Handlers, JobSubject};
pub use jobs::Jobs;
pub use kind::{JobKind, Lane};
pub use new::{NewJob, insert};
pub use paid::PaidJobs;
pub(crate) use paid::PaidWork;
pub use queue::{JobQueue, QueueError};
pub(crate) use retry::retried;
pub use run::JobRunner;
pub use schedule::claim_schedule;
pub use state::{Ending, JobState};
pub(crate) use subject_record::{
    SubjectRecord, count_records, find_record, find_records, read_record, record_pages,
};
pub(crate) use subject_table::{SubjectTable, begun, end_subject, find_rows, of_account, subject_table, sum};
pub use workers::{REPORT_INTERVAL, RunningJobs, WorkerIdentity, WorkerRow, Workers};
