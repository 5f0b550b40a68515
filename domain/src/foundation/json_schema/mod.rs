//! JSON Schemas from clients: bounded, without the network, compiled once.

mod bounds;
mod compiled;
mod pointer;
mod violation;

pub use compiled::JsonSchema;
pub(crate) use pointer::{child, local_reference, place};
