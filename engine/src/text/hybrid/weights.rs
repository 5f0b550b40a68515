//! The embedded weights of the hybrid models and their pinned hashes.

use crate::{
    embedded::EmbeddedModel,
    encoder::{WeightError, Weights},
};

// Statics, since each use of a constant may embed a copy of its own.
pub(super) static ENGLISH: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.7.0.safetensors");
const ENGLISH_SHA256: &str = "3b45a02346a1498963fda8ab58a240140fadae9cd8fae789488cdf0788b8ff26";
pub(super) static MULTILINGUAL: &[u8] =
    include_bytes!("../../../../models/gavel-text-multilingual-1.1.0.safetensors");
const MULTILINGUAL_SHA256: &str = "977d1d50e0bf2b8f7c36a5d47d8d64975be0e2163ca3cd127a0ab808cd160255";

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<[EmbeddedModel; 2], WeightError> {
    Ok([Weights::embedded(ENGLISH, ENGLISH_SHA256)?, Weights::embedded(MULTILINGUAL, MULTILINGUAL_SHA256)?])
}
