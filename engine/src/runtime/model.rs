//! A loaded model. Any number of threads may run it at the same time; each run uses one core.

use ports::EngineError;

use super::{
    built_in::BuiltInModel,
    library::LibraryModel,
    tensor::{Input, OutputTensor},
};
use crate::error::named;

/// A model that is ready to run.
pub struct OnnxModel {
    pub(super) loaded: LoadedModel,
    /// The file it came from, for error messages.
    pub(super) name: String,
}

pub(super) enum LoadedModel {
    BuiltIn(Box<BuiltInModel>),
    Library(LibraryModel),
}

impl OnnxModel {
    /// Runs the model and returns all of its outputs, in the file's order.
    ///
    /// # Errors
    /// An unknown or missing input, an input of the wrong shape or type, or an output that is not f32.
    pub fn run(&self, inputs: &[Input<'_>]) -> Result<Vec<OutputTensor>, EngineError> {
        for Input { name, shape, data } in inputs {
            let values = data.len();
            if shape.iter().product::<usize>() != values {
                let why = format!("input `{name}` has {values} values for the shape {shape:?}");
                return Err(named(&self.name, why));
            }
        }
        let outputs = match &self.loaded {
            LoadedModel::BuiltIn(model) => model.run(inputs),
            LoadedModel::Library(model) => model.run(inputs),
        };
        outputs.map_err(|error| named(&self.name, error))
    }
}

impl std::fmt::Debug for OnnxModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxModel").field("name", &self.name).finish_non_exhaustive()
    }
}
