//! Errors of the runtimes.

use std::{error::Error, sync::Arc};

/// Why a runtime cannot load or run a model.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum RuntimeError {
    /// The runtime's own error.
    #[error("{0}")]
    Runtime(Arc<dyn Error + Send + Sync>),
    #[error("input `{name}`: {error}")]
    Input { name: String, error: Arc<dyn Error + Send + Sync> },
    #[error("input `{0}` has a value that does not fit 32 bits")]
    WideInput(String),
    #[error("the file is not a usable ONNX Runtime")]
    UnusableLibrary,
}

impl RuntimeError {
    pub(super) fn of(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Runtime(Arc::from(error.into()))
    }

    pub(super) fn of_input(name: &str, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Input { name: name.to_owned(), error: Arc::from(error.into()) }
    }
}
