//! Image moderation models: decodes a picture, classifies it, detects faces and estimates their ages.

pub mod age;
pub mod classifier;
mod crop;
pub mod decode;
pub mod detector;
mod engine;
pub mod face;
pub mod manifest;
pub mod resample;
mod unavailable;

pub use engine::{ImageModels, ImageOptions};
pub use unavailable::UnavailableImages;
