//! The hybrid model's weights in the binary, and the hash that they must have.

use crate::text::weights::Embedded;

/// The weight file.
pub(super) const WEIGHTS: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.0.0.safetensors");
/// Its SHA-256.
const SHA256: &str = "d206b99e022386a58a4efafc4ef6ead7c40f90c2c0a1a7f3b9f1f460f52808b5";

/// What is in the binary, hashed now.
///
/// # Errors
/// Weights that are no weight file.
pub fn embedded() -> Result<Embedded, String> {
    Embedded::of_encoder(WEIGHTS, SHA256)
}
