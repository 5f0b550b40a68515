//! Trains heads, the last layer of a decision model and its scoring layers, on the hidden states of a frozen backbone.
//! `encoder` serves them. All of it runs on the calling thread.

mod batch;
mod error;
mod fit;
mod head;
mod optimizer;
mod pass;
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
