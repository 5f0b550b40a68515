//! The embedded weights of the hybrid model and their pinned hash.

use crate::{embedded::Embedded, encoder::Weights};

// A static, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.2.0.safetensors");
const SHA256: &str = "9066bd3d13854f94d58c8e278ecbfc5bacf8e7f5d5fffc05c320aa7d58cd3345";

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<Embedded, String> {
    Weights::embedded(WEIGHTS, SHA256)
}
