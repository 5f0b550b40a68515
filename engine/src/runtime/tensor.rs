//! What goes into a runtime and what comes out of it.

use std::path::PathBuf;

use ports::EngineError;

/// The ONNX file to load.
pub(super) enum ModelSource {
    File(PathBuf),
    /// A file that is built anew for each session, since keeping it would double the memory of the weights.
    Built(Box<BuildFile>),
}

/// Builds an ONNX file.
pub(super) type BuildFile = dyn Fn() -> Result<Vec<u8>, EngineError> + Send + Sync;

/// A named input tensor.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The input's name in the ONNX file.
    pub name: &'a str,
    pub shape: &'a [usize],
    /// Row-major.
    pub data: InputData<'a>,
}

/// An input's values.
#[derive(Clone, Copy, Debug)]
pub enum InputData<'a> {
    F32(&'a [f32]),
    /// rten accepts only values that fit 32 bits.
    I64(&'a [i64]),
}

/// An output tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputTensor {
    pub shape: Vec<usize>,
    /// Row-major.
    pub data: Vec<f32>,
}

impl<'a> Input<'a> {
    pub fn f32(name: &'a str, shape: &'a [usize], data: &'a [f32]) -> Self {
        Self { name, shape, data: InputData::F32(data) }
    }

    pub fn i64(name: &'a str, shape: &'a [usize], data: &'a [i64]) -> Self {
        Self { name, shape, data: InputData::I64(data) }
    }

    pub(super) fn len(&self) -> usize {
        self.data.len()
    }
}

impl InputData<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            InputData::F32(data) => data.len(),
            InputData::I64(data) => data.len(),
        }
    }
}
