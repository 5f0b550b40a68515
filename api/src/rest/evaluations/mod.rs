//! `/api/v1/judges/{id}/evaluations` and `/api/v1/evaluations`: evaluation runs, priced, started, watched,
//! cancelled and exported.

mod cascade;
mod handlers;
mod parameters;
mod shape;

pub(crate) use handlers::*;
