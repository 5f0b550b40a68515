//! `/api/v1/batches`: bulk batches, submitted, watched, read and cancelled.

mod format;
mod handlers;
mod shape;

pub use format::RestItems;
pub(crate) use format::check_endpoint;
pub(crate) use handlers::*;
