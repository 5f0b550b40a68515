//! The embedded weights of the hybrid model and their pinned hash.

use crate::{embedded::Embedded, encoder::Weights};

// A static, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.2.0.safetensors");
const SHA256: &str = "2b2d7f27bf6c1ba6a43431fae7cf3e4ddf27e19b1f3e87468913bb7c5d2b35e1";

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<Embedded, String> {
    Weights::embedded(WEIGHTS, SHA256)
}
