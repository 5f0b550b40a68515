//! Errors of weight files.

use ports::EngineError;
use safetensors::{Dtype, SafeTensorError};
use thiserror::Error;

use super::{unigram::UnigramError, weight_file::FORMAT};

/// Why a weight file cannot be used.
#[derive(Debug, Error)]
pub enum WeightError {
    #[error(transparent)]
    Safetensors(#[from] SafeTensorError),
    #[error("the metadata has no `{0}`")]
    MissingMetadata(&'static str),
    #[error("format {0} is not supported; the supported format is {FORMAT}")]
    Format(String),
    #[error("there is no tensor `{0}`")]
    MissingTensor(String),
    #[error("`{name}` is {found:?}, not {expected}")]
    ElementType { name: String, found: Dtype, expected: &'static str },
    #[error("`{name}` has the shape {found:?}, not {expected}")]
    Shape { name: String, found: Vec<usize>, expected: String },
    #[error("there are no layers")]
    NoLayers,
    #[error("there are neither embeddings nor scoring layers")]
    NoWidth,
    #[error("a width of {0} is not supported")]
    Width(usize),
    #[error("an attention layer has plain and quantised parts")]
    MixedAttention,
    #[error("the tokenizer: {0}")]
    Tokenizer(#[from] UnigramError),
}

impl From<WeightError> for EngineError {
    fn from(error: WeightError) -> Self {
        EngineError(error.to_string())
    }
}
