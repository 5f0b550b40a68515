//! What every head must do, whatever it knows.

mod graph;
mod learning;
mod made;
mod written;
