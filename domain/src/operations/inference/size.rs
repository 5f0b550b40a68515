//! The bound on what one question may weigh: state and instructions together.

use serde::Serialize;

use crate::{Error, Result};

/// Bytes of state and instructions together, as compact JSON, at most.
pub const MAX_INPUT_BYTES: usize = 256 * 1024;

/// Rejects a state from `field` and questions from `asked_in` that are too large together, each as submitted.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field.
pub fn within(field: &str, state: &impl Serialize, asked_in: &str, asked: &impl Serialize) -> Result<()> {
    let bytes = |value: serde_json::Result<Vec<u8>>| value.map(|bytes| bytes.len()).map_err(Error::internal);
    let size = bytes(serde_json::to_vec(state))? + bytes(serde_json::to_vec(asked))?;
    if size > MAX_INPUT_BYTES {
        let message = format!("and {asked_in} must be at most {MAX_INPUT_BYTES} bytes together, not {size}");
        return Err(Error::invalid(field, message));
    }
    Ok(())
}
