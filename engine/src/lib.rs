//! The models, in process. Sees no credit and no database; answers only for the content it is given.

pub mod convert;
pub mod decision;
pub mod encoder;
pub mod image;
pub mod install;
pub mod onnx;
pub mod runtime;
mod settings;
pub mod text;
pub mod train;

pub use settings::Settings;
