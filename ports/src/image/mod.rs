//! The port to an image moderation model.

mod class;
mod engine;

pub use class::{Class, ClassScores};
pub use engine::{Background, FaceReading, ImageEngine, ImageFault, ImageReading, ImageScores, ImageView};
