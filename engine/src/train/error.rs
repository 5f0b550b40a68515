//! Errors of training.

use ports::EngineError;

use crate::encoder::WeightError;

/// Why training, or reading or writing a head, failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrainError {
    #[error("training was cancelled")]
    Cancelled,
    /// The examples, the settings or the file are invalid, or the loss is not finite. Says what and where.
    #[error("{0}")]
    Unfit(String),
}

impl From<ndarray::ShapeError> for TrainError {
    fn from(error: ndarray::ShapeError) -> Self {
        TrainError::Unfit(error.to_string())
    }
}

impl From<WeightError> for TrainError {
    fn from(error: WeightError) -> Self {
        TrainError::Unfit(error.to_string())
    }
}

impl From<TrainError> for EngineError {
    fn from(error: TrainError) -> Self {
        EngineError(error.to_string())
    }
}
