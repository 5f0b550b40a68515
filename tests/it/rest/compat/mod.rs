//! The routes in the formats of other services. `clients/` runs the clients made for them.

mod batches;
mod decisions;
mod errors;
pub(crate) mod files;
mod models;
mod moderations;
mod paying;
mod pictures;
mod system_one;
