//! Writes ONNX files: the few messages of the format's protocol buffers that our models need, at operator set 17.

mod graph;
mod message;
mod tensor;
#[cfg(test)]
mod tests;

pub use graph::{Attribute, Dim, Graph, Node, Port};
pub use tensor::{ElementType, Initializer, TensorData};
