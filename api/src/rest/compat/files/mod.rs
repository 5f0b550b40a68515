//! `/v1/files`: files that OpenAI's clients upload for batches, and those with the batches' results.

mod form;
mod handlers;
mod shape;

pub(crate) use handlers::*;
