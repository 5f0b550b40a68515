//! Jobs of the queue, its limits and its errors.

use std::time::Duration;

use ports::{EngineError, Flow, RequestGroup};

/// The size of the queue and of its batches.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Worker threads; 0 is the number of cores.
    pub threads: usize,
    /// Tokens of a batch, padding included. A single longer job is a batch of its own.
    pub batch: usize,
    /// A request is admitted if it will be done within this time, at the measured speed. An empty queue takes any.
    pub done_within: Duration,
    /// Whether the threads run at low priority, so that those of requests go first.
    pub background: bool,
}

/// A request's place in the queue's order.
#[derive(Clone, Copy, Debug)]
pub struct QueueOrder {
    pub(super) flow: Flow,
    /// The group that the request belongs to.
    pub(super) group: Option<RequestGroup>,
    /// Whether the request has been admitted before.
    pub(super) begun: bool,
}

impl QueueOrder {
    /// For the first jobs of a request, which may be refused.
    pub fn first(flow: Flow) -> Self {
        Self { flow, group: None, begun: false }
    }

    /// The same for a part of a group, if there is one.
    #[must_use]
    pub fn within(self, group: Option<RequestGroup>) -> Self {
        Self { group, ..self }
    }

    /// For jobs that follow from the results of the first ones.
    pub fn next(flow: Flow) -> Self {
        Self { flow, group: None, begun: true }
    }
}

/// A unit of work.
#[derive(Debug)]
pub struct BatchJob<W> {
    /// Only jobs of equal shape share a batch.
    pub shape: usize,
    /// The cost of the job.
    pub tokens: usize,
    pub work: W,
}

/// Why a job has no result.
#[derive(Debug)]
pub enum QueueError {
    /// The request would not be done in time. It was refused at once: what is admitted is done.
    Busy,
    /// The request is a part of a group that would not be done in time even if nothing else waited.
    GroupTooLong {
        /// The parts that wait already, and will be done in time.
        fit: usize,
    },
    Failed(EngineError),
}
