//! The error of a model or of the server behind one.

/// The reason why a model failed, for the log and never for the client.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct EngineError(pub String);
