//! The routes of other services' wires, so that clients made for those work here unchanged. Each speaks its own wire,
//! errors included, and calls the same domain line as our own routes.

pub(crate) mod decisions;
pub(crate) mod models;
pub(crate) mod moderations;
pub(crate) mod system_one;
