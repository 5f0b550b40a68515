//! What answers in an evaluation, of requests over GraphQL and REST alike.

use domain::{Error, Result, learning::evaluation::EvaluatedModel};
use ports::id::CheckpointId;

/// The model that a request names. `checkpoint_field` is what the interface calls the Checkpoint.
///
/// # Errors
/// `VALIDATION_FAILED` for a Checkpoint together with `zero_shot`; `NOT_FOUND` for what cannot be a Checkpoint's id.
pub(crate) fn evaluated_model(
    checkpoint: Option<&str>,
    zero_shot: bool,
    checkpoint_field: &str,
) -> Result<EvaluatedModel> {
    match (checkpoint, zero_shot) {
        (Some(_), true) => {
            Err(Error::invalid("zero_shot", format!("must not be given together with {checkpoint_field}")))
        }
        (Some(id), false) => Ok(EvaluatedModel::Checkpoint(CheckpointId::parse(id)?)),
        (None, true) => Ok(EvaluatedModel::ZeroShot),
        (None, false) => Ok(EvaluatedModel::AsNow),
    }
}
