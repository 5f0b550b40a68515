//! The embedded weights of the decision model's two networks and their pinned hashes.

use std::sync::LazyLock;

use crate::{
    embedded::EmbeddedModel,
    encoder::{WeightError, Weights},
    model_files::sha256,
};

/// The model: both networks.
pub(super) const NAME: &str = "gavel-decision-3.0.0";
/// The English network, which can be asked alone by this name.
pub(super) const ENGLISH: &str = "gavel-decision-2.5.0";
/// The multilingual one.
pub(super) const MULTILINGUAL: &str = "gavel-decision-multilingual-1.0.0";

// Statics, since each use of a constant may embed a copy of its own.
pub(super) static WEIGHTS: &[u8] = include_bytes!("../../../models/gavel-decision-2.5.0.safetensors");
pub(super) static MULTILINGUAL_WEIGHTS: &[u8] =
    include_bytes!("../../../models/gavel-decision-multilingual-1.0.0.safetensors");
const SHA256: &str = "ed778134bf89f3e9212ac4ac94c5e9af642acf2a42d19bc583d96c085d463b6c";
const MULTILINGUAL_SHA256: &str = "a6a3e12ddced33c9aa9383049ade8119c98ef65d7bf123e4ecc5de60294464f5";

/// What Checkpoints are pinned to: a hash of both networks.
static BACKBONE: LazyLock<String> =
    LazyLock::new(|| sha256(format!("{SHA256} {MULTILINGUAL_SHA256}").as_bytes()));

/// What Checkpoints of the model in the binary are pinned to.
pub(crate) fn embedded_backbone() -> &'static str {
    &BACKBONE
}

/// The weight file of the English network in the binary.
pub(crate) fn embedded_weights() -> &'static [u8] {
    WEIGHTS
}

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<[EmbeddedModel; 2], WeightError> {
    Ok([Weights::embedded(WEIGHTS, SHA256)?, Weights::embedded(MULTILINGUAL_WEIGHTS, MULTILINGUAL_SHA256)?])
}
