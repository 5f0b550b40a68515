//! `/v1/batches`: bulk batches in OpenAI's shapes, whose items and results are files.

mod handlers;
mod shape;

pub(crate) use handlers::*;
