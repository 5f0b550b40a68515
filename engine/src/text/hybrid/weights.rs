//! The embedded weights of the hybrid model and their pinned hash.

use crate::{embedded::Embedded, encoder::Weights};

// A static, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.5.0.safetensors");
const SHA256: &str = "9b14e82bca99a03af50d8b6e0cd291c5b72a443e51766d844d32558dc57362fd";

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<Embedded, String> {
    Weights::embedded(WEIGHTS, SHA256)
}
