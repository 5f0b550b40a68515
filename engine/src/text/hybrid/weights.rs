//! The embedded weights of the hybrid model and their pinned hash.

use crate::{embedded::Embedded, encoder::Weights};

// A static, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.3.0.safetensors");
const SHA256: &str = "1bdea5196d77137290b74d49e5c2a55912fe70eaf2e6c403dede0d36542215a4";

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<Embedded, String> {
    Weights::embedded(WEIGHTS, SHA256)
}
