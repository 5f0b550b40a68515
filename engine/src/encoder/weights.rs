//! Reads weight files: safetensors, as `training/` writes them. Trusts no name, shape or type in them.
//!
//! Tensors have the names of BERT's, without a prefix. A quantised linear layer is three of them: `NAME.weight`, I8,
//! `[outputs, inputs]`, `NAME.scale` and `NAME.bias`, F32, `[outputs]`; it means `x * (weight * scale)^T + bias`. A plain
//! one is `NAME.weight` and `NAME.bias`, F32. The file's metadata has `name`, `version`, `format` (`1`) and `config`, a
//! JSON text whose meaning is the model's own.

use std::collections::HashMap;

use half::{f16, slice::HalfFloatSliceExt};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::embedded::Embedded;

/// The version of the format that is understood.
const FORMAT: &str = "1";

/// More layers than this are not looked for.
const MOST_LAYERS: usize = 64;

/// A weight file.
pub struct Weights<'a> {
    tensors: SafeTensors<'a>,
    /// Name of the model, such as `gavel-decision`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// JSON, the model's own.
    pub config: String,
}

/// A linear layer.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Number of outputs.
    pub outputs: usize,
    /// Number of inputs.
    pub inputs: usize,
    /// Row after row, one for each output.
    pub weight: Matrix,
    /// One for each output.
    pub bias: Vec<f32>,
}

/// The weights of a linear layer.
#[derive(Clone, Debug)]
pub enum Matrix {
    /// As they are.
    Plain(Vec<f32>),
    /// Times a scale for each output.
    Quantised(Vec<i8>, Vec<f32>),
}

impl<'a> Weights<'a> {
    /// Reads the header; tensors are read as they are asked for.
    ///
    /// # Errors
    /// What is no safetensors file, or one of another format.
    pub fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let mut metadata: HashMap<String, String> = header.metadata().clone().unwrap_or_default();
        let mut take = |key: &str| metadata.remove(key).ok_or_else(|| format!("no `{key}` in the metadata"));
        let (name, version, config) = (take("name")?, take("version")?, take("config")?);
        match take("format")? {
            format if format == FORMAT => Ok(Self { tensors, name, version, config }),
            format => Err(format!("format {format}, where {FORMAT} is understood")),
        }
    }

    /// What is to be said of a weight file in the binary, hashed now; `expected` is the hash that it must have.
    ///
    /// # Errors
    /// What is no weight file.
    pub(crate) fn embedded(bytes: &'a [u8], expected: &str) -> Result<Embedded, String> {
        let Self { name, version, .. } = Self::read(bytes)?;
        let file = format!("{name}-{version}.safetensors");
        Ok(Embedded::new(name, version, file, bytes, expected))
    }

    /// A tensor of F32 or F16, and its shape.
    ///
    /// # Errors
    /// One that is missing, or of another type.
    pub fn floats(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), String> {
        let view = self.view(name)?;
        let values = match view.dtype() {
            Dtype::F32 => {
                view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
            }
            Dtype::F16 => halves(view.data()).to_f32_vec(),
            other => return Err(format!("`{name}` is {other:?}, not F32 or F16")),
        };
        Ok((view.shape().to_vec(), values))
    }

    /// A tensor of F32 or F16 of that many values.
    ///
    /// # Errors
    /// One that is missing, of another type or size.
    pub fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, String> {
        let (shape, values) = self.floats(name)?;
        if values.len() != length {
            return Err(format!("`{name}` has the shape {shape:?}, where {length} values are needed"));
        }
        Ok(values)
    }

    /// The linear layer `name`, quantised or plain.
    ///
    /// # Errors
    /// A part that is missing, or of another type or shape.
    pub fn linear(&self, name: &str) -> Result<Linear, String> {
        let weight = format!("{name}.weight");
        let view = self.view(&weight)?;
        let &[outputs, inputs] = view.shape() else {
            return Err(format!("`{weight}` has the shape {:?}, which is no matrix", view.shape()));
        };
        let values = match view.dtype() {
            Dtype::I8 => {
                let values = view.data().iter().map(|byte| byte.cast_signed()).collect();
                Matrix::Quantised(values, self.vector(&format!("{name}.scale"), outputs)?)
            }
            _ => Matrix::Plain(self.floats(&weight)?.1),
        };
        Ok(Linear { outputs, inputs, weight: values, bias: self.vector(&format!("{name}.bias"), outputs)? })
    }

    /// Layers, from the first to the last that the file has; a head's file has the last alone.
    pub fn layers(&self) -> usize {
        let has = |layer: &usize| self.has(&format!("encoder.layer.{layer}.output.dense.weight"));
        (0..MOST_LAYERS).rev().find(has).map_or(0, |last| last + 1)
    }

    /// Whether there is such a tensor.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    fn view(&self, name: &str) -> Result<TensorView<'a>, String> {
        self.tensors.tensor(name).map_err(|_| format!("no tensor `{name}`"))
    }
}

/// Half-precision numbers from their bytes, which need not be aligned.
pub(super) fn halves(bytes: &[u8]) -> Vec<f16> {
    bytes.chunks_exact(2).map(|pair| f16::from_le_bytes([pair[0], pair[1]])).collect()
}
