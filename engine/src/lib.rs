//! The models, in process. Knows no credits, no accounts and no database.

pub mod catalog;
pub mod decision;
mod embedded;
pub mod encoder;
mod error;
pub mod fine_tune;
pub mod image;
pub mod lazy;
mod memory;
pub mod model_files;
pub mod onnx;
mod priority;
pub mod runtime;
mod settings;
pub mod text;
pub mod train;

pub use settings::EngineSettings;
