//! Image moderation: decode a picture, classify it, find faces and read their ages.

pub mod age;
pub mod classifier;
pub mod decode;
pub mod face;
pub mod resample;
