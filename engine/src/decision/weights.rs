//! The decision model's weights in the binary, and the hash that they must have.

use crate::text::weights::Embedded;

/// The weight file.
pub(super) const WEIGHTS: &[u8] = include_bytes!("../../../models/gavel-decision-1.0.0.safetensors");
/// Its SHA-256.
const SHA256: &str = "fda45775d73dcf6a0a3b3223315abaf8f79e269c4e8d3b15c2b3f985a953862c";

/// What is in the binary, hashed now.
///
/// # Errors
/// Weights that are no weight file.
pub fn embedded() -> Result<Embedded, String> {
    Embedded::of_encoder(WEIGHTS, SHA256)
}
