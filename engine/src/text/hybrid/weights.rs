//! The hybrid model's weights in the binary, and the hash that they must have.

use crate::{
    encoder::Weights,
    text::weights::{Embedded, sha256},
};

/// The weight file and its SHA-256; none until there is one.
pub(super) const WEIGHTS: Option<(&[u8], &str)> = None;

/// What is in the binary, hashed now.
///
/// # Errors
/// Weights that are no weight file.
pub fn embedded() -> Result<Option<Embedded>, String> {
    let Some((bytes, expected)) = WEIGHTS else { return Ok(None) };
    let weights = Weights::read(bytes)?;
    let sha256 = sha256(bytes);
    Ok(Some(Embedded {
        intact: sha256 == expected,
        file: format!("{}-{}.safetensors", weights.name, weights.version),
        name: weights.name,
        version: weights.version,
        bytes: bytes.len(),
        sha256,
    }))
}
