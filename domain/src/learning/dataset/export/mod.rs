//! Exports a dataset of any size to a file in bounded memory: pages of rows are read as fast as the client
//! downloads. Knows no HTTP. Changes nothing.

mod csv;
mod jsonl;
mod parquet;
mod snapshot;
mod stream;

pub use snapshot::Snapshot;
pub use stream::{Chunk, Format, start};
