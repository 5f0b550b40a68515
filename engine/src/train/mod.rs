//! Trains heads, the last layer of a decision model and its scoring layers, on the hidden states of a frozen backbone.
//! `encoder` serves them.
//!
//! Training needs a process of its own with `CANDLE_NUM_THREADS=1`. Otherwise candle spreads operations on large
//! tensors over threads that spin while they wait for each other: on two busy cores that doubles the time.

mod batch;
mod error;
mod fit;
mod head;
mod optimizer;
mod settings;
mod temperature;
#[cfg(test)]
mod tests;
mod write;

pub use batch::TrainingExample;
pub use error::TrainError;
pub use fit::{FitReport, TrainingProgress, TrainingSet, fit};
pub use head::TrainableHead;
pub use settings::TrainSettings;
pub(crate) use temperature::{ScoredQuestion, refit};
pub use write::{HeadMetadata, Precision};
