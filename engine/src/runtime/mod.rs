//! Runs ONNX files on one of two runtimes: rten, which is linked in, or ONNX Runtime, when its library is installed.
//! The rest of the engine does not know which. A missing or unusable library is never an error: rten takes over.

mod built_in;
mod error;
mod library;
mod model;
mod open;
mod pool;
mod tensor;

pub use model::OnnxModel;
pub use open::{OnnxRuntime, Runtime};
pub use tensor::{Input, InputData, OutputTensor};
