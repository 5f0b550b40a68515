//! The hybrid text engine: the native model's scores and those of an encoder with a masked-diffusion decoder, combined
//! for each harm with weights fitted on data.

mod config;
mod engine;
mod read;
mod weights;

pub use engine::{HybridOptions, HybridText};
pub use read::encoder_text;
pub(crate) use weights::embedded;
