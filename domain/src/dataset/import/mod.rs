//! Samples from a file: JSON Lines or CSV. All of a file or nothing of it; what is wrong is said line by line. Duplicates are
//! folded. Costs nothing.

mod cells;
mod draft;
mod lines;
mod object;
mod plan;
mod run;
mod stage;
mod write;

pub use run::{Format, Imported, Order, run};
