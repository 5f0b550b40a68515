//! The routes of other services' wires, byte by byte. `clients/` runs the clients made for them.

mod decisions;
mod errors;
mod models;
mod moderations;
mod paying;
mod system_one;
