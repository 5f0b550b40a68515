//! A loaded model. Any number of threads may run it at the same time; each run uses one core.

use std::path::PathBuf;

use ports::EngineError;

use super::{built_in, library};

/// A named input tensor.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The input's name in the ONNX file.
    pub name: &'a str,
    pub shape: &'a [usize],
    /// Row-major.
    pub data: Data<'a>,
}

/// An input's values.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    F32(&'a [f32]),
    /// rten accepts only values that fit 32 bits.
    I64(&'a [i64]),
}

/// An output tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub shape: Vec<usize>,
    /// Row-major.
    pub data: Vec<f32>,
}

/// A model that is ready to run.
pub struct Model {
    pub(super) backend: Backend,
    /// The file it came from, for error messages.
    pub(super) name: String,
}

/// The ONNX file to load.
pub(super) enum Source {
    File(PathBuf),
    Bytes(Vec<u8>),
}

pub(super) enum Backend {
    BuiltIn(Box<built_in::Loaded>),
    Library(library::Loaded),
}

impl<'a> Input<'a> {
    pub fn f32(name: &'a str, shape: &'a [usize], data: &'a [f32]) -> Self {
        Self { name, shape, data: Data::F32(data) }
    }

    pub fn i64(name: &'a str, shape: &'a [usize], data: &'a [i64]) -> Self {
        Self { name, shape, data: Data::I64(data) }
    }

    pub(super) fn len(&self) -> usize {
        match self.data {
            Data::F32(data) => data.len(),
            Data::I64(data) => data.len(),
        }
    }
}

impl Model {
    /// Runs the model and returns all of its outputs, in the file's order.
    ///
    /// # Errors
    /// An unknown or missing input, an input of the wrong shape or type, or an output that is not f32.
    pub fn run(&self, inputs: &[Input<'_>]) -> Result<Vec<Tensor>, EngineError> {
        if let Some(input) = inputs.iter().find(|input| input.shape.iter().product::<usize>() != input.len())
        {
            return Err(EngineError(format!(
                "{}: input `{}` has {} values for the shape {:?}",
                self.name,
                input.name,
                input.len(),
                input.shape
            )));
        }
        let outputs = match &self.backend {
            Backend::BuiltIn(model) => model.run(inputs),
            Backend::Library(model) => model.run(inputs),
        };
        outputs.map_err(|why| EngineError(format!("{}: {why}", self.name)))
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("name", &self.name).finish_non_exhaustive()
    }
}
