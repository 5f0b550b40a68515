//! Samples and their rows: a state, its questions, their answers and ground truth. Operations on recorded samples
//! are in [`crate::learning::dataset`].

mod bytes;
mod content;
mod filter;
mod moderation;
mod new;
mod rows;
mod side_table;
pub(crate) mod storage;

pub(crate) use bytes::{history_bytes, own_bytes, stored_bytes};
pub use content::content_hash;
pub use filter::SampleFilter;
pub(crate) use filter::unlabelled;
pub use moderation::{ModerationFilter, ModerationRecord};
pub use new::{NewAnswer, NewSample, Source};
pub(crate) use rows::{ROWS_PER_INSERT, SampleRows, answer_rows, imported_row, write};
pub use side_table::SampleTable;
