//! `POST /api/v1/inference` and its aliases: typed questions about any state.

mod handlers;
mod response_format;
mod shape;

pub(crate) use handlers::*;
pub(crate) use shape::{InferenceAnswer, by_key};
