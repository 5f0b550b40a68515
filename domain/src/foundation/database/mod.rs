//! The database: its connection pools, and connections of their own for long queries.

mod long_queries;
mod pools;
mod statements;

pub use pools::Database;
