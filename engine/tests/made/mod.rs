//! A decision model with random weights, and the folder of the installed models.

mod noise;

pub use noise::*;
