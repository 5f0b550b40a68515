//! The hybrid text engine: combines the native model's scores with those of an encoder with a masked diffusion
//! decoder, by weights that were fitted for each harm. One encoder reads English, another one other languages.

mod config;
mod encoder_text;
mod engine;
mod error;
mod model;
mod options;
mod reading;
mod weights;

pub use encoder_text::encoder_text;
pub use engine::HybridText;
pub use options::HybridOptions;
pub use reading::PartScores;
pub(crate) use weights::embedded;
