//! Reads weight files: safetensors, as `training/` writes them. Every name, shape and type is checked.
//!
//! Tensors have the names of BERT's, without a prefix. A quantised linear layer is three of them: `NAME.weight`, I8,
//! `[outputs, inputs]`, `NAME.scale` and `NAME.bias`, F32, `[outputs]`; it means `x * (weight * scale)^T + bias`. A plain
//! one is `NAME.weight` and `NAME.bias`, F32. The file's metadata has `name`, `version`, `format` (`1`) and `config`, a
//! JSON text whose meaning is the model's own.

use std::collections::HashMap;

use half::{f16, slice::HalfFloatSliceExt};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::embedded::Embedded;

/// The supported version of the format.
pub(super) const FORMAT: &str = "1";

/// The largest number of layers.
const MOST_LAYERS: usize = 64;

/// A weight file.
pub struct Weights<'a> {
    tensors: SafeTensors<'a>,
    /// The model's name, such as `gavel-decision`.
    pub name: String,
    pub version: String,
    /// JSON whose meaning is the model's own.
    pub config: String,
}

/// A linear layer.
#[derive(Clone, Debug)]
pub struct Linear {
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

impl<'a> Weights<'a> {
    /// Parses the header. Tensors are read on demand.
    ///
    /// # Errors
    /// Not a safetensors file, or one of another format.
    pub fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let mut metadata: HashMap<String, String> = header.metadata().clone().unwrap_or_default();
        let mut take = |key: &str| metadata.remove(key).ok_or_else(|| format!("no `{key}` in the metadata"));
        let name = take("name")?;
        let version = take("version")?;
        let config = take("config")?;
        match take("format")? {
            format if format == FORMAT => Ok(Self { tensors, name, version, config }),
            format => Err(format!("format {format}, where {FORMAT} is understood")),
        }
    }

    /// Describes a weight file in the binary; `expected` is its pinned hash.
    ///
    /// # Errors
    /// Not a weight file.
    pub(crate) fn embedded(bytes: &'a [u8], expected: &str) -> Result<Embedded, String> {
        let Self { name, version, .. } = Self::read(bytes)?;
        let file = format!("{name}-{version}.safetensors");
        Ok(Embedded::new(name, version, file, bytes, expected))
    }

    /// Reads a tensor of F32 or F16, with its shape.
    ///
    /// # Errors
    /// A tensor that is missing or of another type.
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

    /// The bytes of a tensor of I8 or U8, with its shape.
    ///
    /// # Errors
    /// A tensor that is missing or of another type.
    pub fn bytes(&self, name: &str) -> Result<(Vec<usize>, &'a [u8]), String> {
        let view = self.view(name)?;
        match view.dtype() {
            Dtype::I8 | Dtype::U8 => Ok((view.shape().to_vec(), view.data())),
            other => Err(format!("`{name}` is {other:?}, not I8 or U8")),
        }
    }

    /// Reads a tensor of F32 or F16 with `length` values.
    ///
    /// # Errors
    /// A tensor that is missing, or of another type or size.
    pub fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, String> {
        let (shape, values) = self.floats(name)?;
        if values.len() != length {
            return Err(format!("`{name}` has the shape {shape:?}, where {length} values are needed"));
        }
        Ok(values)
    }

    /// Reads the linear layer `name`, quantised or plain.
    ///
    /// # Errors
    /// A tensor that is missing, or of another type or shape.
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

    /// The number of layers of the encoder. A head's file holds only the last of them.
    pub fn layers(&self) -> usize {
        let has = |layer: &usize| self.has(&format!("encoder.layer.{layer}.output.dense.weight"));
        (0..MOST_LAYERS).rev().find(has).map_or(0, |last| last + 1)
    }

    pub fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    fn view(&self, name: &str) -> Result<TensorView<'a>, String> {
        self.tensors.tensor(name).map_err(|_| format!("no tensor `{name}`"))
    }
}

/// Reads half-precision numbers from bytes, which need not be aligned.
pub(super) fn halves(bytes: &[u8]) -> Vec<f16> {
    bytes.chunks_exact(2).map(|pair| f16::from_le_bytes([pair[0], pair[1]])).collect()
}
