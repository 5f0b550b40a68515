//! Reads weight files: safetensors, as `training/` writes them. Every name, shape and type is checked.
//!
//! Tensors have the names of BERT's, without a prefix. A quantised linear layer is three of them: `NAME.weight`, I8,
//! `[outputs, inputs]`, `NAME.scale` and `NAME.bias`, F32, `[outputs]`; it means `x * (weight * scale)^T + bias`. A
//! plain one is `NAME.weight` and `NAME.bias`, F32. The file's metadata has `name`, `version`, `format` (`1`) and
//! `config`, a JSON text whose meaning is the model's own.

use std::{collections::HashMap, fmt::Display};

use bytes::Bytes;
use half::{f16, slice::HalfFloatSliceExt};
use ports::EngineError;
use safetensors::{
    Dtype, SafeTensors,
    tensor::{Metadata, TensorView},
};

use super::{error::WeightError, weight_file::FORMAT};
use crate::{
    embedded::EmbeddedModel,
    error::named,
    memory::release_pages,
    model_files::sha256,
    onnx::Graph,
    runtime::{OnnxModel, Runtime},
};

/// The largest number of layers.
const MOST_LAYERS: usize = 64;

/// A safetensors file begins with the length of its header in this many bytes.
pub(super) const HEADER_LENGTH: usize = 8;

/// A weight file.
#[derive(Clone)]
pub struct Weights {
    file: Bytes,
    /// `file`, if it is in the binary.
    embedded: Option<&'static [u8]>,
    /// Where the tensors begin in `file`.
    start: usize,
    header: Metadata,
    /// The model's name, such as `gavel-decision`.
    pub name: String,
    pub version: String,
    /// JSON whose meaning is the model's own.
    pub config: String,
}

/// A linear layer.
#[derive(Clone, Debug)]
pub struct LinearLayer {
    pub outputs: usize,
    pub inputs: usize,
    /// Row-major, a row for each output.
    pub weight: Matrix,
    /// One for each output.
    pub bias: Vec<f32>,
}

/// The weights of a linear layer.
#[derive(Clone, Debug)]
pub enum Matrix {
    /// In f32.
    Plain(Vec<f32>),
    /// In 8 bits, with a scale for each output.
    Quantised(Vec<i8>, Vec<f32>),
}

impl Weights {
    /// Parses the header. Tensors are read on demand.
    ///
    /// # Errors
    /// Not a safetensors file, or one of another format.
    pub fn read(file: impl Into<Bytes>) -> Result<Self, WeightError> {
        let file = file.into();
        let (header_bytes, header) = SafeTensors::read_metadata(&file)?;
        let mut metadata: HashMap<String, String> = header.metadata().clone().unwrap_or_default();
        let name = take(&mut metadata, "name")?;
        let version = take(&mut metadata, "version")?;
        let config = take(&mut metadata, "config")?;
        match take(&mut metadata, "format")? {
            format if format == FORMAT => {
                let start = HEADER_LENGTH + header_bytes;
                Ok(Self { file, embedded: None, start, header, name, version, config })
            }
            format => Err(WeightError::Format(format)),
        }
    }

    /// Like [`read`](Self::read), of a file in the binary, whose pages are released once they are used.
    ///
    /// # Errors
    /// Like `read`.
    pub(crate) fn read_embedded(file: &'static [u8]) -> Result<Self, WeightError> {
        Ok(Self { embedded: Some(file), ..Self::read(file)? })
    }

    /// The SHA-256 of the file, in hexadecimal.
    pub(crate) fn sha256(&self) -> String {
        sha256(&self.file)
    }

    /// Releases the pages of a file in the binary, when a model has been loaded from it.
    pub(crate) fn release_pages(&self) {
        if let Some(file) = self.embedded {
            release_pages(file);
        }
    }

    /// An error of this file, after its name and version.
    pub(crate) fn fault(&self, error: impl Display) -> EngineError {
        named(format_args!("{} {}", self.name, self.version), error)
    }

    /// Loads a graph that `build` makes of these weights. `part` names it in error messages.
    ///
    /// # Errors
    /// A tensor that is missing or of the wrong type or shape, or a graph that the runtime refuses.
    pub(super) fn load_graph(
        &self,
        runtime: &Runtime,
        part: &str,
        build: impl Fn(&Self) -> Result<Graph, WeightError> + Send + Sync + 'static,
    ) -> Result<OnnxModel, EngineError> {
        let weights = self.clone();
        runtime.load_built(&format!("{} {}'s {part}", self.name, self.version), move || {
            let file = build(&weights)?.to_bytes();
            weights.release_pages();
            Ok(file)
        })
    }

    /// Describes a weight file in the binary; `expected` is its pinned hash.
    ///
    /// # Errors
    /// Not a weight file.
    pub(crate) fn embedded(bytes: &'static [u8], expected: &str) -> Result<EmbeddedModel, WeightError> {
        let Self { name, version, .. } = Self::read(bytes)?;
        let file = format!("{name}-{version}.safetensors");
        Ok(EmbeddedModel::new(name, version, file, bytes, expected))
    }

    /// Reads a tensor of F32 or F16, with its shape.
    ///
    /// # Errors
    /// A tensor that is missing or of another type.
    pub fn floats(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), WeightError> {
        let view = self.view(name)?;
        let values = match view.dtype() {
            Dtype::F32 => {
                view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
            }
            Dtype::F16 => halves(view.data()).to_f32_vec(),
            other => return Err(wrong_type(name, other, "F32 or F16")),
        };
        Ok((view.shape().to_vec(), values))
    }

    /// The bytes of a tensor of I8 or U8, with its shape.
    ///
    /// # Errors
    /// A tensor that is missing or of another type.
    pub fn bytes(&self, name: &str) -> Result<(Vec<usize>, Bytes), WeightError> {
        let view = self.view(name)?;
        match view.dtype() {
            Dtype::I8 | Dtype::U8 => Ok((view.shape().to_vec(), self.file.slice_ref(view.data()))),
            other => Err(wrong_type(name, other, "I8 or U8")),
        }
    }

    /// Reads a tensor of F32 or F16 with `length` values.
    ///
    /// # Errors
    /// A tensor that is missing, or of another type or size.
    pub fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, WeightError> {
        let (found, values) = self.floats(name)?;
        if values.len() != length {
            let expected = format!("{length} values");
            return Err(WeightError::Shape { name: name.to_owned(), found, expected });
        }
        Ok(values)
    }

    /// Reads a matrix of F32 or F16 with rows of `width` values.
    ///
    /// # Errors
    /// A tensor that is missing, or of another type or shape.
    pub fn rows(&self, name: &str, width: usize) -> Result<Vec<f32>, WeightError> {
        let (found, values) = self.floats(name)?;
        if found.len() != 2 || found[1] != width {
            let expected = format!("rows of {width} values");
            return Err(WeightError::Shape { name: name.to_owned(), found, expected });
        }
        Ok(values)
    }

    /// Reads the linear layer `name`, quantised or plain.
    ///
    /// # Errors
    /// A tensor that is missing, or of another type or shape.
    pub fn linear(&self, name: &str) -> Result<LinearLayer, WeightError> {
        let weight = format!("{name}.weight");
        let view = self.view(&weight)?;
        let &[outputs, inputs] = view.shape() else {
            let found = view.shape().to_vec();
            return Err(WeightError::Shape { name: weight, found, expected: "a matrix".into() });
        };
        let values = match view.dtype() {
            Dtype::I8 => {
                let values = view.data().iter().map(|byte| byte.cast_signed()).collect();
                Matrix::Quantised(values, self.vector(&format!("{name}.scale"), outputs)?)
            }
            _ => Matrix::Plain(self.floats(&weight)?.1),
        };
        let bias = self.vector(&format!("{name}.bias"), outputs)?;
        Ok(LinearLayer { outputs, inputs, weight: values, bias })
    }

    /// The number of layers of the encoder. A head's file holds only the last of them.
    pub fn layers(&self) -> usize {
        let mut layers = (0..MOST_LAYERS).rev();
        let last = layers.find(|layer| self.has(&format!("encoder.layer.{layer}.output.dense.weight")));
        last.map_or(0, |last| last + 1)
    }

    pub fn has(&self, name: &str) -> bool {
        self.header.info(name).is_some()
    }

    fn view(&self, name: &str) -> Result<TensorView<'_>, WeightError> {
        let tensor = self.header.info(name).ok_or_else(|| missing(name))?;
        let place = self.start + tensor.data_offsets.0..self.start + tensor.data_offsets.1;
        let data = self.file.get(place).ok_or_else(|| missing(name))?;
        Ok(TensorView::new(tensor.dtype, tensor.shape.clone(), data)?)
    }
}

fn take(metadata: &mut HashMap<String, String>, key: &'static str) -> Result<String, WeightError> {
    metadata.remove(key).ok_or(WeightError::MissingMetadata(key))
}

fn missing(name: &str) -> WeightError {
    WeightError::MissingTensor(name.to_owned())
}

fn wrong_type(name: &str, found: Dtype, expected: &'static str) -> WeightError {
    WeightError::ElementType { name: name.to_owned(), found, expected }
}

/// Reads half-precision numbers from bytes, which need not be aligned.
pub(super) fn halves(bytes: &[u8]) -> Vec<f16> {
    bytes.chunks_exact(2).map(|pair| f16::from_le_bytes([pair[0], pair[1]])).collect()
}
