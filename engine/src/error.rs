//! Turns this crate's errors into those of the ports.

use std::fmt::Display;

use ports::EngineError;

/// The error of a model, a file or a part of one, after its name.
pub(crate) fn named(name: impl Display, error: impl Display) -> EngineError {
    EngineError(format!("{name}: {error}"))
}

/// An error about which a name would say nothing.
pub(crate) fn unnamed(error: impl Display) -> EngineError {
    EngineError(error.to_string())
}
