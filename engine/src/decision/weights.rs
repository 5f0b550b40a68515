//! The embedded weights of the decision model and their pinned hash.

use crate::{embedded::Embedded, encoder::Weights};

// A static, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../models/gavel-decision-2.1.0.safetensors");
const SHA256: &str = "b81e239f868d74b2304fe0945d3b6c934720cf462f8e4fb1303c03b47caa255f";

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
