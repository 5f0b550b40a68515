//! Tests of training with random heads.

mod graph;
mod learning;
mod made;
mod written;
