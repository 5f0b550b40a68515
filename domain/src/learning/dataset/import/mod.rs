//! Imports samples from a JSON Lines or CSV file, all or none; errors are reported by line. Duplicates are merged.
//! Costs no credits.

mod csv;
mod jsonl;
mod options;
mod plan;
mod run;
mod stage;
mod validate;
mod write;

pub use options::{ImportFormat, ImportOptions, Imported};
