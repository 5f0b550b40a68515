//! A head that can be trained: one transformer layer, computed only at the markers, and the scoring layers. Too slow
//! for serving, which runs the weight file.

use ndarray::{Array1, Array2, ArrayD, ArrayViewD, ArrayViewMutD};

use super::error::TrainError;
use crate::encoder::{Matrix, WeightError, Weights};

/// The width of an attention head.
pub(super) const HEAD_WIDTH: usize = 32;

/// The last layer and the scoring layers of a decision model.
#[derive(Clone)]
pub struct TrainableHead {
    pub(super) query: Linear,
    /// Its bias is fixed: it shifts all scores of a query equally, which softmax cancels.
    pub(super) key: Linear,
    pub(super) value: Linear,
    pub(super) mixed: Linear,
    pub(super) mixed_norm: Norm,
    pub(super) inner: Linear,
    pub(super) outer: Linear,
    pub(super) outer_norm: Norm,
    pub(super) dense: Linear,
    /// Its bias is fixed: it shifts all options equally.
    pub(super) out: Linear,
}

/// `x * weight^T + bias`.
#[derive(Clone)]
pub(super) struct Linear {
    /// The name in a weight file.
    pub(super) name: String,
    /// `[outputs, inputs]`.
    pub(super) weight: Array2<f32>,
    pub(super) bias: Array1<f32>,
}

/// A layer norm.
#[derive(Clone)]
pub(super) struct Norm {
    pub(super) name: String,
    pub(super) weight: Array1<f32>,
    pub(super) bias: Array1<f32>,
}

impl TrainableHead {
    /// Reads layer `layer`, counted from 0, and the scoring layers. Quantised matrices are dequantised.
    ///
    /// # Errors
    /// A tensor that is missing, or of another type or shape.
    pub fn read(weights: &Weights, layer: usize) -> Result<Self, TrainError> {
        let layer = format!("encoder.layer.{layer}");
        let attention = format!("{layer}.attention.self");
        let query = Linear::read(weights, format!("{attention}.query"))?;
        let width = query.weight.nrows();
        if width == 0 || !width.is_multiple_of(HEAD_WIDTH) {
            return Err(WeightError::Width(width).into());
        }
        let inner = Linear::read(weights, format!("{layer}.intermediate.dense"))?;
        let wide = inner.weight.nrows();
        Ok(Self {
            query: query.shaped(width, width)?,
            key: Linear::read(weights, format!("{attention}.key"))?.shaped(width, width)?,
            value: Linear::read(weights, format!("{attention}.value"))?.shaped(width, width)?,
            mixed: Linear::read(weights, format!("{layer}.attention.output.dense"))?.shaped(width, width)?,
            mixed_norm: Norm::read(weights, format!("{layer}.attention.output.LayerNorm"), width)?,
            inner: inner.shaped(wide, width)?,
            outer: Linear::read(weights, format!("{layer}.output.dense"))?.shaped(width, wide)?,
            outer_norm: Norm::read(weights, format!("{layer}.output.LayerNorm"), width)?,
            dense: Linear::read(weights, "score.dense".into())?.shaped(width, width)?,
            out: Linear::read(weights, "score.out".into())?.shaped(1, width)?,
        })
    }

    /// The size of a token's hidden state.
    pub fn width(&self) -> usize {
        self.out.weight.ncols()
    }

    /// A head of the same shape, all zeros, to hold a gradient.
    pub(super) fn zeros(&self) -> Self {
        let mut zeros = self.clone();
        zeros.parameters_mut().into_iter().for_each(|mut parameter| parameter.fill(0.0));
        zeros
    }

    /// What training changes, in the order of [`Self::parameters_mut`]: a name in a weight file and the values.
    pub(super) fn parameters(&self) -> Vec<(String, ArrayViewD<'_, f32>)> {
        let weights =
            self.linears().map(|part| (format!("{}.weight", part.name), part.weight.view().into_dyn()));
        let biases = self
            .linears()
            .into_iter()
            .filter(|part| ![&self.key.name, &self.out.name].contains(&&part.name))
            .map(|part| (format!("{}.bias", part.name), part.bias.view().into_dyn()));
        let norms = self.norms().into_iter().flat_map(|part| {
            [
                (format!("{}.weight", part.name), part.weight.view().into_dyn()),
                (format!("{}.bias", part.name), part.bias.view().into_dyn()),
            ]
        });
        weights.into_iter().chain(biases).chain(norms).collect()
    }

    /// The same, to be changed.
    pub(super) fn parameters_mut(&mut self) -> [ArrayViewMutD<'_, f32>; 18] {
        [
            self.query.weight.view_mut().into_dyn(),
            self.key.weight.view_mut().into_dyn(),
            self.value.weight.view_mut().into_dyn(),
            self.mixed.weight.view_mut().into_dyn(),
            self.inner.weight.view_mut().into_dyn(),
            self.outer.weight.view_mut().into_dyn(),
            self.dense.weight.view_mut().into_dyn(),
            self.out.weight.view_mut().into_dyn(),
            self.query.bias.view_mut().into_dyn(),
            self.value.bias.view_mut().into_dyn(),
            self.mixed.bias.view_mut().into_dyn(),
            self.inner.bias.view_mut().into_dyn(),
            self.outer.bias.view_mut().into_dyn(),
            self.dense.bias.view_mut().into_dyn(),
            self.mixed_norm.weight.view_mut().into_dyn(),
            self.mixed_norm.bias.view_mut().into_dyn(),
            self.outer_norm.weight.view_mut().into_dyn(),
            self.outer_norm.bias.view_mut().into_dyn(),
        ]
    }

    /// Copies what training changes.
    pub(super) fn snapshot(&self) -> Vec<ArrayD<f32>> {
        self.parameters().into_iter().map(|(_, values)| values.to_owned()).collect()
    }

    /// Puts a snapshot back.
    pub(super) fn restore(&mut self, snapshot: &[ArrayD<f32>]) {
        self.parameters_mut()
            .iter_mut()
            .zip(snapshot)
            .for_each(|(parameter, values)| parameter.assign(values));
    }

    pub(super) fn linears(&self) -> [&Linear; 8] {
        [&self.query, &self.key, &self.value, &self.mixed, &self.inner, &self.outer, &self.dense, &self.out]
    }

    pub(super) fn norms(&self) -> [&Norm; 2] {
        [&self.mixed_norm, &self.outer_norm]
    }
}

impl Linear {
    fn read(weights: &Weights, name: String) -> Result<Self, TrainError> {
        let linear = weights.linear(&name)?;
        let outputs = linear.outputs;
        let inputs = linear.inputs;
        let weight = match linear.weight {
            Matrix::Plain(weight) => weight,
            Matrix::Quantised(weight, scale) => {
                let rows = weight.chunks_exact(inputs.max(1)).zip(scale);
                rows.flat_map(|(row, scale)| row.iter().map(move |&value| f32::from(value) * scale)).collect()
            }
        };
        Ok(Self {
            weight: Array2::from_shape_vec((outputs, inputs), weight)?,
            bias: Array1::from_vec(linear.bias),
            name,
        })
    }

    fn shaped(self, outputs: usize, inputs: usize) -> Result<Self, TrainError> {
        let found = self.weight.shape().to_vec();
        if found != [outputs, inputs] {
            let expected = format!("[{outputs}, {inputs}]");
            return Err(WeightError::Shape { name: self.name, found, expected }.into());
        }
        Ok(self)
    }
}

impl Norm {
    fn read(weights: &Weights, name: String, width: usize) -> Result<Self, TrainError> {
        let weight = Array1::from_vec(weights.vector(&format!("{name}.weight"), width)?);
        let bias = Array1::from_vec(weights.vector(&format!("{name}.bias"), width)?);
        Ok(Self { name, weight, bias })
    }
}
