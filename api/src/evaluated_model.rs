//! What answers in an evaluation, of requests over GraphQL and REST alike.

use domain::{Error, Result, learning::evaluation::EvaluatedModel};
use ports::id::CheckpointId;

/// What an interface calls the fields of a request.
#[derive(Clone, Copy)]
pub(crate) struct EvaluatedModelNames {
    pub(crate) checkpoint: &'static str,
    pub(crate) zero_shot: &'static str,
}

/// The model that a request names.
///
/// # Errors
/// `VALIDATION_FAILED` for more than one of a Checkpoint, the base model and a backend; `NOT_FOUND` for what cannot be
/// a Checkpoint's id.
pub(crate) fn evaluated_model(
    checkpoint: Option<&str>,
    zero_shot: bool,
    backend: Option<String>,
    names: EvaluatedModelNames,
) -> Result<EvaluatedModel> {
    if let Some(backend) = backend {
        if checkpoint.is_some() || zero_shot {
            let EvaluatedModelNames { checkpoint, zero_shot } = names;
            let message = format!("must not be given together with {checkpoint} or {zero_shot}");
            return Err(Error::invalid("backend", message));
        }
        return Ok(EvaluatedModel::Backend(backend));
    }
    match (checkpoint, zero_shot) {
        (Some(_), true) => {
            let message = format!("must not be given together with {}", names.checkpoint);
            Err(Error::invalid(names.zero_shot, message))
        }
        (Some(id), false) => Ok(EvaluatedModel::Checkpoint(CheckpointId::parse(id)?)),
        (None, true) => Ok(EvaluatedModel::ZeroShot),
        (None, false) => Ok(EvaluatedModel::AsNow),
    }
}
