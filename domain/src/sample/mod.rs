//! What a sample is, and how it is written: a state, what was asked about it, what was answered, and what is true. What is
//! done with recorded samples is in [`crate::dataset`].

mod content;
mod new;
mod rows;
mod side_table;

pub use content::content_hash;
pub use new::{NewAnswer, NewSample, Source};
pub(crate) use rows::{ROWS, answer_rows, imported_row, write};
pub use side_table::SampleTable;
