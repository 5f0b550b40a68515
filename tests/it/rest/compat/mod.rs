//! The routes in the formats of other services. `clients/` runs the clients made for them.

mod decisions;
mod errors;
mod models;
mod moderations;
mod paying;
mod pictures;
mod system_one;
