//! The embedded weights of the hybrid models and their pinned hashes.

use crate::{
    embedded::EmbeddedModel,
    encoder::{WeightError, Weights},
};

// Statics, since each use of a constant may embed a copy of its own.
pub(super) static ENGLISH: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.8.0.safetensors");
const ENGLISH_SHA256: &str = "7ebc2af253f4926d310afa2fa36d3646f24b4c2bed4f458103a9d9b1552eaa87";
pub(super) static MULTILINGUAL: &[u8] =
    include_bytes!("../../../../models/gavel-text-multilingual-1.2.0.safetensors");
const MULTILINGUAL_SHA256: &str = "dd35e82ce3413a5b3bf4fc2f2a6d57fac3e420d8365db4f3198ec149b8e9c792";

pub(super) const ENGLISH_FIT: &str = include_str!("../../../../models/gavel-text-hybrid.fit.json");
pub(super) const MULTILINGUAL_FIT: &str = include_str!("../../../../models/gavel-text-multilingual.fit.json");

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<[EmbeddedModel; 2], WeightError> {
    Ok([Weights::embedded(ENGLISH, ENGLISH_SHA256)?, Weights::embedded(MULTILINGUAL, MULTILINGUAL_SHA256)?])
}
