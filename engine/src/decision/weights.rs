//! The decision model's weights in the binary, and the hash that they must have.

use crate::{embedded::Embedded, encoder::Weights};

/// The weight file.
pub(super) const WEIGHTS: &[u8] = include_bytes!("../../../models/gavel-decision-1.0.0.safetensors");
/// Its SHA-256.
const SHA256: &str = "9dfb38be2631765aaad7567057afb945f73de127eae00668e5812f27757d5a2f";

/// What is in the binary, hashed now.
///
/// # Errors
/// Weights that are no weight file.
pub(crate) fn embedded() -> Result<Embedded, String> {
    Weights::embedded(WEIGHTS, SHA256)
}
