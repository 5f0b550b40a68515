//! The embedded weights of the hybrid models and their pinned hashes.

use crate::{embedded::Embedded, encoder::Weights};

// Statics, since each use of a constant may embed a copy of its own.
pub(super) static ENGLISH: &[u8] = include_bytes!("../../../../models/gavel-text-hybrid-1.6.0.safetensors");
const ENGLISH_SHA256: &str = "cdea144e081c79e6f03039ca269b160cf8df8b01e0ba787de95099b33ec30833";
pub(super) static MULTILINGUAL: &[u8] =
    include_bytes!("../../../../models/gavel-text-multilingual-1.0.0.safetensors");
const MULTILINGUAL_SHA256: &str = "ccc8275458e74d1215c211af3145376aba1689a30ec4affbb6fe4644720be1ee";

/// Hashes the weights in the binary.
///
/// # Errors
/// Not a weight file.
pub(crate) fn embedded() -> Result<[Embedded; 2], String> {
    Ok([Weights::embedded(ENGLISH, ENGLISH_SHA256)?, Weights::embedded(MULTILINGUAL, MULTILINGUAL_SHA256)?])
}
