//! The hybrid text engine: combines the native model's scores with those of an encoder with a masked diffusion
//! decoder, by weights that were fitted for each harm. One encoder reads English, another one other languages.

mod config;
mod engine;
mod model;
mod read;
mod weights;

pub use engine::{Candidate, HybridOptions, HybridText};
pub use read::encoder_text;
pub(crate) use weights::embedded;
