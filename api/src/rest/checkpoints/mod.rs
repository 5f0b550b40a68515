//! `/api/v1/judges/{id}/checkpoints` and `/api/v1/checkpoints`: Checkpoints, submitted, watched, cancelled and
//! activated.

mod handlers;
mod shape;

pub(crate) use handlers::*;
