//! The decision model: typed questions about a state, answered by a marker cross-encoder in process.

mod absent;

pub use absent::Absent;
