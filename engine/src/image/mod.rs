//! Image moderation: decode a picture, classify it, find faces and read their ages.

pub mod age;
pub mod classifier;
mod crop;
pub mod decode;
pub mod detector;
mod engine;
pub mod face;
pub mod manifest;
pub mod resample;

pub use engine::{ImageOptions, Images, Unavailable};
