//! Words of the interface description that Checkpoints and evaluations share.

pub(crate) const SUBMIT_CONFLICT: &str = "`CONFLICT`: the Judge is archived, as many are open as may be, or the first \
    request with this Idempotency-Key is still running; the message says which.";
pub(crate) const SUBMIT_INVALID: &str = "`VALIDATION_FAILED`, with the fields at fault, or because too few samples \
    are labelled; `IDEMPOTENCY_MISMATCH`.";
pub(crate) const NO_MODEL: &str =
    "`ENGINE_UNAVAILABLE`: there is no decision model in process; or `INTERNAL_ERROR`.";
pub(crate) const ENDED: &str = "`CONFLICT`: it has succeeded or failed.";
