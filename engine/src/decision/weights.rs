//! The embedded weights of the decision model and their pinned hash.

use crate::{embedded::Embedded, encoder::Weights};

// A static, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../models/gavel-decision-2.0.0.safetensors");
const SHA256: &str = "611c17d50ae1dd2089a39bf1654361dc22a5d9202ae4849986db281eb4fce4eb";

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
