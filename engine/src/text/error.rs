//! Errors of the native models' weights.

use ports::EngineError;

/// Why the weights of a native model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NativeWeightError {
    #[error("the manifest of a native model is invalid: {0}")]
    Manifest(#[from] serde_json::Error),
    #[error("the weight table of the {0} has the wrong length")]
    TableLength(&'static str),
}

impl From<NativeWeightError> for EngineError {
    fn from(error: NativeWeightError) -> Self {
        EngineError(error.to_string())
    }
}
