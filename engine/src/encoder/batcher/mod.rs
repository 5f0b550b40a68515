//! A batching queue in front of a model. It admits what can be done in time at the measured speed, does what it has
//! admitted, and drops queued work whose caller has gone.
//!
//! Each thread runs one batch at a time. There are as many threads as cores, since two single-threaded runs do more
//! than one run on two threads (`bench/README.md`). [`fair_queue`] decides which job is next, and knows when a request
//! will be done.

mod fair_queue;
mod job;
mod queue;
#[cfg(test)]
mod tests;

pub use job::{BatchJob, QueueError, QueueLimits, QueueOrder};
pub use queue::Batcher;
