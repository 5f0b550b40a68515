//! Why a model cannot be converted.

use std::borrow::Cow;

/// Why a model cannot be converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The package lacks a file.
    #[error("no {0}")]
    MissingFile(String),
    /// The model is not valid, or uses something that the conversion does not support.
    #[error("{0}")]
    Unsupported(Cow<'static, str>),
    /// An error in a part of the model, such as a layer or a file.
    #[error("{part}: {error}")]
    Part { part: String, error: Box<ConvertError> },
}

impl ConvertError {
    /// The same error in a part of the model.
    pub(super) fn within(self, part: impl Into<String>) -> Self {
        Self::Part { part: part.into(), error: Box::new(self) }
    }
}

impl From<&'static str> for ConvertError {
    fn from(message: &'static str) -> Self {
        Self::Unsupported(message.into())
    }
}

impl From<String> for ConvertError {
    fn from(message: String) -> Self {
        Self::Unsupported(message.into())
    }
}
