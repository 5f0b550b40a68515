//! The Model Context Protocol, by its official client: over HTTP at `/mcp`, and through `gavel mcp`.

pub(crate) mod agent;
mod clients_gone;
mod programs;
mod refusals;
mod resources;
mod tools;
