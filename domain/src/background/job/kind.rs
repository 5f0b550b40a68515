//! The kinds of jobs, and the lanes that they wait in.

use std::time::Duration;

use strum::{EnumString, IntoStaticStr, VariantArray};

/// A kind of job; each has a handler in every worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum JobKind {
    /// Runs some items of a bulk batch.
    RunBatchChunk,
    /// Ends a bulk batch, or expires it.
    FinishBatch,
    /// Trains a Checkpoint.
    TrainCheckpoint,
    /// Runs a Judge over a labelled dataset.
    Evaluate,
    /// Sends an event to a webhook endpoint.
    DeliverWebhook,
}

/// A queue with a concurrency of its own, so that jobs of minutes do not delay jobs of milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Lane {
    /// Short computations.
    Bulk,
    /// Training and evaluation: long computations.
    Training,
    /// Requests to other servers.
    Webhooks,
}

impl Lane {
    pub const ALL: &[Lane] = Lane::VARIANTS;

    /// The name in queues and metrics.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The kinds of jobs that wait in this lane.
    pub(super) fn kinds(self) -> impl Iterator<Item = JobKind> {
        JobKind::ALL.iter().copied().filter(move |kind| kind.lane() == self)
    }
}

impl JobKind {
    pub const ALL: &[JobKind] = JobKind::VARIANTS;

    /// The name in the `job` table.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn lane(self) -> Lane {
        match self {
            JobKind::RunBatchChunk | JobKind::FinishBatch => Lane::Bulk,
            JobKind::TrainCheckpoint | JobKind::Evaluate => Lane::Training,
            JobKind::DeliverWebhook => Lane::Webhooks,
        }
    }

    /// How often a job is started before it fails for good.
    pub fn max_attempts(self) -> i32 {
        match self {
            JobKind::RunBatchChunk | JobKind::FinishBatch | JobKind::TrainCheckpoint | JobKind::Evaluate => 8,
            JobKind::DeliverWebhook => 10,
        }
    }

    /// How long one run may have a slot.
    pub fn timeout(self) -> Duration {
        Duration::from_secs(match self {
            JobKind::RunBatchChunk => 600,
            JobKind::FinishBatch | JobKind::DeliverWebhook => 60,
            JobKind::TrainCheckpoint | JobKind::Evaluate => 3_600,
        })
    }

    /// How many runs of this kind in a process may have yielded at once. They keep their memory: a training up to
    /// 1 GiB, an evaluation some megabytes.
    pub(super) fn most_yielded(self) -> usize {
        match self {
            JobKind::TrainCheckpoint => 2,
            JobKind::Evaluate => 16,
            JobKind::RunBatchChunk | JobKind::FinishBatch | JobKind::DeliverWebhook => 0,
        }
    }
}
