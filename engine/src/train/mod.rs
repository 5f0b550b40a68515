//! Trains heads: the last layer of a decision model and its score layers, on what a frozen backbone gave. Knows no file, no
//! queue and no user; what it writes is served by `encoder`, not from here.
//!
//! Give it a process of its own with `CANDLE_NUM_THREADS=1`. Otherwise candle spreads operations on large tensors over
//! threads that wait for each other without sleeping: on two busy cores that doubles the time spent.

mod batch;
mod error;
mod fit;
mod head;
mod optimizer;
mod temperature;
#[cfg(test)]
mod tests;
mod write;

pub use batch::Example;
pub use error::TrainError;
pub use fit::{FitReport, Progress, TrainSettings, fit};
pub use head::Head;
pub use write::{HeadMetadata, Precision};
