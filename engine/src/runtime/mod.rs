//! Runs ONNX files on either of two runtimes: rten, built in, or ONNX Runtime, when its library is there. The rest of
//! the engine does not know which. Refuses to let a library that is missing or unfit stop anything: rten stands in.

mod built_in;
mod library;
mod model;
mod open;
mod pool;

pub use model::{Data, Input, Model, Tensor};
pub use open::{OnnxRuntime, Runtime};
