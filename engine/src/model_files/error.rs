//! Errors of the files in the models' folder.

use std::{io, path::PathBuf};

use ports::EngineError;

/// Why files cannot be compared with the lock, or must not be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    #[error("models.lock: {0}")]
    Lock(#[from] toml::de::Error),
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    /// A file differs from the lock; says which one and how.
    #[error("{0}")]
    Altered(String),
}

impl From<ModelFileError> for EngineError {
    fn from(error: ModelFileError) -> Self {
        EngineError(error.to_string())
    }
}
