//! `/api/v1/judges/{id}/evaluations` and `/api/v1/evaluations`: evaluation runs, priced, started, watched and
//! cancelled.

mod handlers;
mod shape;

pub(crate) use handlers::*;
