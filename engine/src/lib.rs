//! The models, in process. Sees no credit and no database; answers only for the content it is given.

pub mod catalog;
pub mod decision;
mod embedded;
pub mod encoder;
pub mod image;
pub mod model_files;
pub mod onnx;
pub mod runtime;
mod settings;
pub mod text;
pub mod train;

pub use settings::Settings;
