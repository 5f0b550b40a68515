//! `POST /api/v1/inference` and its aliases: typed questions about any state.

mod handlers;
mod request;
mod response;
mod response_format;

pub(crate) use handlers::*;
pub(crate) use response::{InferenceAnswer, by_key};
