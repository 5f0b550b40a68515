//! The weight files that are embedded in the binary.

use crate::{memory::release_pages, model_files::sha256};

/// A model in the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedModel {
    pub name: String,
    pub version: String,
    /// Name of the weight file in `models/`.
    pub file: String,
    pub bytes: usize,
    /// Of the weights, in hexadecimal.
    pub sha256: String,
    /// Whether the hash is the pinned one.
    pub intact: bool,
}

impl EmbeddedModel {
    /// Hashes the weights; `expected` is the pinned hash.
    pub(crate) fn new(
        name: String,
        version: String,
        file: String,
        weights: &'static [u8],
        expected: &str,
    ) -> Self {
        let sha256 = sha256(weights);
        release_pages(weights);
        Self { name, version, file, bytes: weights.len(), intact: sha256 == expected, sha256 }
    }
}
