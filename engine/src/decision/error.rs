//! Errors of decision models and Checkpoints.

use ports::{EngineError, decision::DecisionFault};
use thiserror::Error;

use crate::encoder::{QueueError, WeightError};

/// Why a weight file's config cannot be used.
#[derive(Debug, Error)]
pub(crate) enum ConfigError {
    #[error("the config: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the config has a temperature that is not above 0")]
    Temperature,
}

/// Why a Checkpoint's artefact cannot be used.
#[derive(Debug, Error)]
pub(crate) enum CheckpointError {
    #[error(transparent)]
    Weights(#[from] WeightError),
    #[error("the config: {0}")]
    Config(#[from] serde_json::Error),
    #[error("the file is not a {0}")]
    OtherFile(&'static str),
    #[error("`{0}` is not a matrix")]
    NoMatrix(String),
    #[error("key {0} has a weight that is not finite")]
    NotFinite(usize),
    #[error("a head for {expected} options cannot answer about {options} options with {features} features")]
    Evidence { expected: usize, options: usize, features: usize },
}

impl From<CheckpointError> for EngineError {
    fn from(error: CheckpointError) -> Self {
        EngineError(error.to_string())
    }
}

impl From<QueueError> for DecisionFault {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Busy => Self::Busy,
            QueueError::GroupTooLong { fit } => Self::TooManyStates { fit },
            QueueError::Failed(error) => Self::Engine(error),
        }
    }
}

/// Why a Checkpoint does not answer a question, so that the base model does; a note for the client.
#[derive(Debug, Error)]
pub(super) enum NotLearned {
    #[error("the Checkpoint has not learned {0:?}, so the model answered without it")]
    Key(String),
    #[error(
        "{0:?} does not have the words, options and type that the Checkpoint learned, so the model answered without it"
    )]
    Question(String),
}
