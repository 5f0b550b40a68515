//! Why the models cannot be installed.

use std::{io, path::Path};

use engine::model_files::ModelFileError;

use crate::convert::ConvertError;

/// Why the models cannot be installed.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A file or folder cannot be read or written.
    #[error("{path}: {error}")]
    Io { path: String, error: io::Error },
    #[error("models.lock: {0}")]
    Lock(toml::de::Error),
    /// The state of the installed files is not known.
    #[error(transparent)]
    Installed(#[from] ModelFileError),
    #[error("{0}: is missing")]
    Missing(String),
    /// A file with the wrong hash.
    #[error("{name} does not match models.lock: expected {expected}, found {found}")]
    HashMismatch { name: String, expected: String, found: String },
    #[error("{file}: {error}")]
    Conversion { file: String, error: ConvertError },
    #[error("{client} is not installed{hint}")]
    ClientMissing { client: &'static str, hint: &'static str },
    /// npm or pip failed, with its message.
    #[error("{0}")]
    ClientFailed(String),
    #[error("npm or pip did not write {0}")]
    NotDownloaded(String),
    #[error("cannot create a temporary folder in {0}")]
    NoTemporaryFolder(String),
    #[error("{package}: {error}")]
    Package { package: String, error: Box<SetupError> },
}

impl SetupError {
    pub(super) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.display().to_string(), error }
    }
}
