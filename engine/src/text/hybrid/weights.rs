//! The hybrid model's weights in the binary, and the hash that they must have.

use crate::text::weights::Embedded;

/// The weight file.
pub(super) const WEIGHTS: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.0.0.safetensors");
/// Its SHA-256.
const SHA256: &str = "3b7cff64b55923d59e18360e5d555f5d14fa43c292af5273780f5edf11321d34";

/// What is in the binary, hashed now.
///
/// # Errors
/// Weights that are no weight file.
pub fn embedded() -> Result<Embedded, String> {
    Embedded::of_encoder(WEIGHTS, SHA256)
}
