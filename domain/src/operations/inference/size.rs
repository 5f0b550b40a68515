//! The limit on the size of a request: state and instructions together.

use serde::Serialize;

use crate::{Error, Result};

/// Maximum bytes of state and instructions together, as compact JSON.
pub const MAX_INPUT_BYTES: usize = 256 * 1024;

/// Rejects a state from `field` and questions from `asked_in` that are too large together, each as submitted.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field.
pub fn within(field: &str, state: &impl Serialize, asked_in: &str, asked: &impl Serialize) -> Result<()> {
    let size = bytes(state)? + bytes(asked)?;
    if size > MAX_INPUT_BYTES {
        let message = format!("and {asked_in} must be at most {MAX_INPUT_BYTES} bytes together, not {size}");
        return Err(Error::invalid(field, message));
    }
    Ok(())
}

pub(super) fn bytes(value: &impl Serialize) -> Result<usize> {
    Ok(serde_json::to_vec(value).map_err(Error::internal)?.len())
}
