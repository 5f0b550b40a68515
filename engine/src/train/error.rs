//! Why there is no head.

use std::fmt;

/// Why training, or reading or writing a head, gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrainError {
    /// It was asked to stop.
    Cancelled,
    /// The examples, the settings or the file are unfit, or the loss is no longer a number. Says what, and where.
    Unfit(String),
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrainError::Cancelled => f.write_str("cancelled"),
            TrainError::Unfit(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for TrainError {}

impl From<candle_core::Error> for TrainError {
    fn from(error: candle_core::Error) -> Self {
        TrainError::Unfit(error.to_string())
    }
}

impl From<String> for TrainError {
    fn from(why: String) -> Self {
        TrainError::Unfit(why)
    }
}
