//! A loaded model: named tensors in, tensors out. Any number of threads may run it at once; each run uses one core.

use std::path::PathBuf;

use domain::EngineError;

use super::{built_in, library};

/// One input of a run.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Its name in the ONNX file.
    pub name: &'a str,
    /// Its dimensions; their product is the number of values.
    pub shape: &'a [usize],
    /// Its values, the last dimension running fastest.
    pub data: Data<'a>,
}

/// The values of an input.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Such as pixels.
    F32(&'a [f32]),
    /// Such as token ids. rten takes those that fit 32 bits.
    I64(&'a [i64]),
}

/// One output of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// Its values, the last dimension running fastest.
    pub data: Vec<f32>,
}

/// A model, ready to run.
pub struct Model {
    pub(super) backend: Backend,
    /// For messages: the file it came from.
    pub(super) name: String,
}

/// Where an ONNX file is.
pub(super) enum Source {
    File(PathBuf),
    Bytes(Vec<u8>),
}

pub(super) enum Backend {
    BuiltIn(Box<built_in::Loaded>),
    Library(library::Loaded),
}

impl<'a> Input<'a> {
    /// An input of floating point numbers.
    pub fn f32(name: &'a str, shape: &'a [usize], data: &'a [f32]) -> Self {
        Self { name, shape, data: Data::F32(data) }
    }

    /// An input of integers.
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
    /// Runs the model once and answers all of its outputs, in the file's order.
    ///
    /// # Errors
    /// An input that the model does not have, one too few, one of the wrong shape or type; an output that is not f32.
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
