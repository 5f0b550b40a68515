//! Imports samples from a JSON Lines or CSV file, all or none; errors are reported by line. Duplicates are merged.
//! Costs no credits.

mod cells;
mod draft;
mod lines;
mod object;
mod plan;
mod run;
mod stage;
mod write;

pub use run::{Format, Imported, Order, run};
