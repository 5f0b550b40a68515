//! The port to an image moderation model.

mod class;
mod engine;

pub use class::{Class, ClassScores};
pub use engine::{FaceReading, ImageEngine, ImageFault, ImageScores};
