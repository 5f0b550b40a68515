//! The embedded weights of the hybrid models and their pinned hashes.

use super::config::HybridFit;
use crate::{
    embedded::EmbeddedModel,
    encoder::{WeightError, Weights},
};

// Statics, since each use of a constant may embed a copy of its own.
pub(super) static ENGLISH: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.9.0.safetensors");
const ENGLISH_SHA256: &str = "6cfc99fd913fbc6db71d4681503c39495a20d6a8ea531a4e900854f87dcb2e39";
pub(super) static MULTILINGUAL: &[u8] =
    include_bytes!("../../../../models/gavel-text-multilingual-1.3.0.safetensors");
const MULTILINGUAL_SHA256: &str = "bcd239f2b69a1366acd163a0cde39fb85b986235a205fbacb3341d164cff60e3";

pub(super) const ENGLISH_FIT: &str = include_str!("../../../../models/gavel-text-hybrid.fit.json");
pub(super) const MULTILINGUAL_FIT: &str = include_str!("../../../../models/gavel-text-multilingual.fit.json");

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<[EmbeddedModel; 2], WeightError> {
    Ok([
        fitted(Weights::embedded(ENGLISH, ENGLISH_SHA256)?, ENGLISH_FIT),
        fitted(Weights::embedded(MULTILINGUAL, MULTILINGUAL_SHA256)?, MULTILINGUAL_FIT),
    ])
}

/// A model with the version of what was fitted later, which its answers name.
fn fitted(model: EmbeddedModel, fit: &str) -> EmbeddedModel {
    let Ok(HybridFit { version, .. }) = serde_json::from_str(fit) else { return model };
    let file = format!("{}-{version}.safetensors", model.name);
    EmbeddedModel { version, file, ..model }
}
