//! Errors of hybrid weight files.

use thiserror::Error;

/// Why the config of a weight file cannot be used.
#[derive(Debug, Error)]
pub(super) enum ConfigError {
    #[error("the config: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the config has {0} passes; 1 to 9 are possible")]
    Steps(usize),
    #[error("the config has no combination for {0}")]
    MissingCombination(&'static str),
    #[error("the config has a combination for {0} with which more evidence could lower a score")]
    LowersScore(&'static str),
    #[error("the config has a language penalty that could raise a score")]
    RaisesScore,
}
