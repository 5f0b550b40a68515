//! Routes compatible with the APIs of other services, so that their clients work unchanged. Each has that service's
//! JSON and error format, and calls the same domain functions as Gavel's own routes.

pub(crate) mod batches;
pub(crate) mod decisions;
pub(crate) mod files;
pub(crate) mod models;
pub(crate) mod moderations;
pub(crate) mod system_one;
