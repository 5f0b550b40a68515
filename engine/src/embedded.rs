//! What is known of a weight file in the binary.

use crate::model_files::sha256;

/// One model in the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedded {
    /// Name of the model.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The weight file it was built from.
    pub file: String,
    /// Bytes of weights.
    pub bytes: usize,
    /// SHA-256 of the weights in the binary, in hexadecimal.
    pub sha256: String,
    /// Whether that is the hash its manifest records.
    pub intact: bool,
}

impl Embedded {
    /// Weights, hashed now; `expected` is the hash that they must have.
    pub(crate) fn new(name: String, version: String, file: String, weights: &[u8], expected: &str) -> Self {
        let sha256 = sha256(weights);
        Self { name, version, file, bytes: weights.len(), intact: sha256 == expected, sha256 }
    }
}
