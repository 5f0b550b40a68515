//! `POST /v1/systemone`: typed questions, as System One's clients ask them.

mod handlers;
mod shape;

pub(crate) use handlers::*;
