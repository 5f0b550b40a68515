//! The database: its connection pools, and separate connections for long queries.

mod long_queries;
mod pools;
mod statements;

pub use pools::{ConnectError, Database};
