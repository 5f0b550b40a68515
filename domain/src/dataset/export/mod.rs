//! A dataset as a file, of whatever size, in memory of a fixed size: pages of rows are read as fast as the file is taken.
//! Knows no HTTP. Changes nothing.

mod csv;
mod jsonl;
mod parquet;
mod snapshot;
mod stream;

pub use snapshot::Snapshot;
pub use stream::{Format, Piece, start};
