//! Image moderation: a picture in, scores and flags out. `moderate` is the whole line; the rest is pure.

mod class;

pub use class::{Class, ClassScores};
