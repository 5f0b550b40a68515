//! A value that a client sent and that is not allowed.

/// A field at fault. The domain turns it into its `VALIDATION_FAILED`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {message}")]
pub struct InvalidField {
    /// The path from the body's root, such as `parameters.steps`.
    pub field: String,
    /// What is wrong with the value and what is allowed.
    pub message: String,
}

impl InvalidField {
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}
