//! Data loaders: rows that many nodes of an operation need are read in one statement. Each execution has loaders of its
//! own, so nothing is cached beyond it.

mod actors;
mod batches;
mod checkpoints;
mod dataset_owners;
mod evaluations;
mod execution;
mod loaded;
mod samples;
mod stats;

pub(crate) use actors::KnownActor;
pub(crate) use batches::Batches;
pub(crate) use execution::Loaders;
pub(crate) use loaded::{batch_error, found, loaded};
pub(crate) use stats::StatsOf;
