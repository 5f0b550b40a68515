//! The embedded weights of the decision model and their pinned hash.

use crate::{embedded::Embedded, encoder::Weights};

// A static, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../models/gavel-decision-2.3.0.safetensors");
const SHA256: &str = "d7db1b22df50cba703ad551a8b0a7e08362cbf01e76bcc94d7ce6b4a1feb0c2e";

/// The weight file in the binary.
pub(crate) fn embedded_weights() -> &'static [u8] {
    WEIGHTS
}

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<Embedded, String> {
    Weights::embedded(WEIGHTS, SHA256)
}
