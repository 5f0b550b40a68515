//! Bulk batches: many requests under one id, run by workers in chunks.
//!
//! A batch is staged while it is uploaded, and becomes visible in the transaction that holds its credits and inserts
//! its jobs. A chunk is run, charged and stored in one commit, so a chunk that is run again after a crash is charged
//! once. A batch may be read from an uploaded file, as OpenAI's are; its results are two files then. The batch ends
//! once: when its last chunk has, when it is cancelled, or when its time is up.

mod access;
mod batches;
mod chunk_job;
mod discard;
mod ending;
mod execute;
mod file_content;
mod files;
mod finish_job;
mod item;
mod limits;
mod lines;
mod metadata;
mod openai_lines;
mod prune;
mod read;
mod results;
mod side_table;
mod staging;
mod store;
mod stored_file;
mod submit;
mod upload;
mod wire;

pub use access::{BatchAccess, Submitter};
pub use batches::Batches;
pub use chunk_job::RunBatchChunk;
pub use file_content::FileContent;
pub use files::{Files, ResultFiles};
pub use finish_job::FinishBatch;
pub use item::{ItemRequest, TextItem};
pub use limits::{BatchLimits, BatchSetup};
pub use metadata::check_metadata;
pub use read::Format;
pub use results::Results;
pub use side_table::BatchTable;
pub use store::{Batch, BatchInput, BatchStatus};
pub use stored_file::{FileKind, StoredFile};
pub use submit::{FromFile, SubmitOptions};
pub use upload::FileUpload;
pub use wire::WireFormat;
