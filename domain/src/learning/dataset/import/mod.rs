//! Imports samples from a JSON Lines or CSV file, all or none; errors are reported by line. Duplicates are merged.
//! Costs no credits.

mod csv;
mod jsonl;
mod lines;
mod plan;
mod run;
mod stage;
mod validate;
mod write;

pub(crate) use lines::{Lines, Numbered};
pub use run::{Format, ImportOptions, Imported, run};
