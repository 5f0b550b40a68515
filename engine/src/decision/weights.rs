//! The embedded weights of the decision model and their pinned hash.

use crate::{
    embedded::EmbeddedModel,
    encoder::{WeightError, Weights},
};

// A static, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../models/gavel-decision-2.5.0.safetensors");
const SHA256: &str = "ed778134bf89f3e9212ac4ac94c5e9af642acf2a42d19bc583d96c085d463b6c";

/// The pinned hash of the weight file in the binary.
pub(crate) fn embedded_sha256() -> &'static str {
    SHA256
}

/// The weight file in the binary.
pub(crate) fn embedded_weights() -> &'static [u8] {
    WEIGHTS
}

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<EmbeddedModel, WeightError> {
    Weights::embedded(WEIGHTS, SHA256)
}
