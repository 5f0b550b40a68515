//! The embedded weights of the hybrid model and their pinned hash.

use crate::{embedded::Embedded, encoder::Weights};

// A static, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.0.0.safetensors");
const SHA256: &str = "3b7cff64b55923d59e18360e5d555f5d14fa43c292af5273780f5edf11321d34";

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<Embedded, String> {
    Weights::embedded(WEIGHTS, SHA256)
}
