//! `GET` and `POST /api/v1/judges/{id}/dataset`: export and import of a Judge's dataset.

mod handlers;
mod parameters;
mod shape;

pub(crate) use handlers::*;
