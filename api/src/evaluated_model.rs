//! What answers in an evaluation, of requests over GraphQL and REST alike.

use domain::{Error, Result, learning::evaluation::EvaluatedModel};
use ports::id::CheckpointId;

/// The model that a request names. `checkpoint_field` is what the interface calls the Checkpoint.
///
/// # Errors
/// `VALIDATION_FAILED` for more than one of a Checkpoint, `zero_shot` and a backend; `NOT_FOUND` for what cannot be
/// a Checkpoint's id.
pub(crate) fn evaluated_model(
    checkpoint: Option<&str>,
    zero_shot: bool,
    backend: Option<String>,
    checkpoint_field: &str,
) -> Result<EvaluatedModel> {
    if let Some(backend) = backend {
        if checkpoint.is_some() || zero_shot {
            let message = format!("must not be given together with {checkpoint_field} or zero_shot");
            return Err(Error::invalid("backend", message));
        }
        return Ok(EvaluatedModel::Backend(backend));
    }
    match (checkpoint, zero_shot) {
        (Some(_), true) => {
            Err(Error::invalid("zero_shot", format!("must not be given together with {checkpoint_field}")))
        }
        (Some(id), false) => Ok(EvaluatedModel::Checkpoint(CheckpointId::parse(id)?)),
        (None, true) => Ok(EvaluatedModel::ZeroShot),
        (None, false) => Ok(EvaluatedModel::AsNow),
    }
}
