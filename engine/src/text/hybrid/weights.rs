//! The hybrid model's weights in the binary, and the hash that they must have.

use crate::{embedded::Embedded, encoder::Weights};

/// The weight file.
pub(super) const WEIGHTS: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.0.0.safetensors");
/// Its SHA-256.
const SHA256: &str = "3b7cff64b55923d59e18360e5d555f5d14fa43c292af5273780f5edf11321d34";

/// What is in the binary, hashed now.
///
/// # Errors
/// Weights that are no weight file.
pub(crate) fn embedded() -> Result<Embedded, String> {
    Weights::embedded(WEIGHTS, SHA256)
}
