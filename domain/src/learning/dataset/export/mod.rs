//! Exports a dataset of any size to a file in bounded memory: pages of rows are read as fast as the client
//! downloads. Knows no HTTP. Changes nothing.

mod csv;
mod format;
mod jsonl;
mod pages;
mod parquet;
mod snapshot;
mod stream;

pub(crate) use csv::{encode_state, encode_text, format_number};
pub use format::ExportFormat;
pub use snapshot::Snapshot;
pub use stream::Chunk;
