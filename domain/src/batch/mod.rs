//! Bulk batches: many requests under one id, run by workers in chunks.
//!
//! A batch is staged while it is uploaded, and becomes visible in the transaction that holds its credits and inserts
//! its jobs. A chunk is run, charged and stored in one commit, so a chunk that is run again after a crash is charged
//! once. The batch ends once: when its last chunk has, when it is cancelled, or when its time is up.

mod access;
mod batches;
mod chunk_job;
mod execute;
mod finish_job;
mod item;
mod limits;
mod lines;
mod prune;
mod read;
mod results;
mod side_table;
mod staging;
mod store;
mod submit;
mod wire;

pub use access::{BatchAccess, Submitter};
pub use batches::Batches;
pub use chunk_job::RunBatchChunk;
pub use finish_job::FinishBatch;
pub use item::{ItemRequest, TextItem};
pub use limits::{BatchLimits, BatchSetup};
pub use read::Format;
pub use results::Results;
pub use side_table::BatchTable;
pub use store::{Batch, BatchStatus};
pub use submit::SubmitOptions;
pub use wire::WireFormat;
