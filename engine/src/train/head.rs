//! A head as a differentiable graph: one transformer layer, computed only at the markers, and the scoring layers.
//!
//! Uses basic operations: the fused layer norm and softmax of candle-nn have no backward pass, so a graph with one of
//! them would train nothing and report no error. Too slow for serving, which runs the weight file.

use candle_core::{D, Device, Result, Tensor, Var};

use super::{
    batch::{Batch, TrainingExample, into_batches},
    error::TrainError,
};
use crate::encoder::{Matrix, WeightError, Weights};

/// The width of an attention head.
const HEAD_WIDTH: usize = 32;
/// BERT's epsilon.
const EPSILON: f64 = 1e-12;
/// Examples in a batch that is only evaluated.
const READ_BATCH: usize = 32;

/// The last layer and the scoring layers of a decision model.
pub struct TrainableHead {
    query: Linear,
    key: Linear,
    value: Linear,
    mixed: Linear,
    mixed_norm: Norm,
    inner: Linear,
    outer: Linear,
    outer_norm: Norm,
    dense: Linear,
    out: Linear,
}

/// `x * weight^T + bias`.
pub(super) struct Linear {
    /// The name in a weight file.
    pub(super) name: String,
    pub(super) weight: Tensor,
    pub(super) bias: Tensor,
}

/// A layer norm.
pub(super) struct Norm {
    pub(super) name: String,
    pub(super) weight: Tensor,
    pub(super) bias: Tensor,
}

impl TrainableHead {
    /// Reads layer `layer`, counted from 0, and the scoring layers. Quantised matrices are dequantised.
    ///
    /// # Errors
    /// A tensor that is missing, or of another type or shape.
    pub fn read(weights: &Weights, layer: usize) -> std::result::Result<Self, TrainError> {
        let layer = format!("encoder.layer.{layer}");
        let attention = format!("{layer}.attention.self");
        let query = Linear::read(weights, format!("{attention}.query"))?;
        let width = query.weight.dim(0)?;
        if width == 0 || !width.is_multiple_of(HEAD_WIDTH) {
            return Err(WeightError::Width(width).into());
        }
        let inner = Linear::read(weights, format!("{layer}.intermediate.dense"))?;
        let wide = inner.weight.dim(0)?;
        Ok(Self {
            query: query.shaped(width, width)?,
            key: Linear::read(weights, format!("{attention}.key"))?.shaped(width, width)?.with_fixed_bias(),
            value: Linear::read(weights, format!("{attention}.value"))?.shaped(width, width)?,
            mixed: Linear::read(weights, format!("{layer}.attention.output.dense"))?.shaped(width, width)?,
            mixed_norm: Norm::read(weights, format!("{layer}.attention.output.LayerNorm"), width)?,
            inner: inner.shaped(wide, width)?,
            outer: Linear::read(weights, format!("{layer}.output.dense"))?.shaped(width, wide)?,
            outer_norm: Norm::read(weights, format!("{layer}.output.LayerNorm"), width)?,
            dense: Linear::read(weights, "score.dense".into())?.shaped(width, width)?,
            out: Linear::read(weights, "score.out".into())?.shaped(1, width)?.with_fixed_bias(),
        })
    }

    /// The size of a token's hidden state.
    pub fn width(&self) -> usize {
        self.out.weight.dims().last().copied().unwrap_or(0)
    }

    /// The trained variables, by name in a weight file. The biases of the keys and of the score are fixed: they shift
    /// all tokens and all options equally, and so change no answer.
    pub fn variables(&self) -> Vec<(String, Var)> {
        let linears = self.linears().map(|part| (&part.name, &part.weight, &part.bias));
        let norms = self.norms().map(|part| (&part.name, &part.weight, &part.bias));
        linears
            .into_iter()
            .chain(norms)
            .flat_map(|(name, weight, bias)| {
                [(format!("{name}.weight"), weight), (format!("{name}.bias"), bias)]
            })
            .filter(|(_, tensor)| tensor.is_variable())
            .filter_map(|(name, tensor)| Some((name, Var::from_tensor(tensor).ok()?)))
            .collect()
    }

    /// The logits of each example's options, before temperature scaling.
    ///
    /// # Errors
    /// An example that is not for this head.
    pub fn logits(&self, examples: &[TrainingExample]) -> std::result::Result<Vec<Vec<f32>>, TrainError> {
        examples.iter().try_for_each(|example| example.check(self.width()))?;
        self.logits_unless_cancelled(&examples.iter().collect::<Vec<_>>(), &|| true)
    }

    /// The same for examples that passed their check, until `goes_on` is false.
    pub(super) fn logits_unless_cancelled(
        &self,
        examples: &[&TrainingExample],
        goes_on: &dyn Fn() -> bool,
    ) -> std::result::Result<Vec<Vec<f32>>, TrainError> {
        let mut all = Vec::with_capacity(examples.len());
        for examples in into_batches(examples, self.width(), READ_BATCH) {
            if !goes_on() {
                return Err(TrainError::Cancelled);
            }
            let rows = self.forward(&Batch::of(&examples, self.width())?)?.to_vec2::<f32>()?;
            all.extend(rows.into_iter().zip(examples).map(|(mut row, example)| {
                row.truncate(example.markers.len());
                row
            }));
        }
        Ok(all)
    }

    /// The logits, `[examples, markers]`.
    pub(super) fn forward(&self, batch: &Batch) -> Result<Tensor> {
        let width = self.width();
        let marked = batch.hidden.reshape(((), width))?.index_select(&batch.markers, 0)?;
        let seen = self.mixed.forward(&self.attend(batch, &marked)?)?;
        let x = self.mixed_norm.forward(&(marked + seen)?)?;
        let inner = self.inner.forward(&x)?.gelu_erf()?;
        let x = self.outer_norm.forward(&(&x + self.outer.forward(&inner)?)?)?;
        let x = self.dense.forward(&x)?.gelu_erf()?;
        self.out.forward(&x)?.reshape(batch.shape)
    }

    /// The attention output at each marker, `[examples * markers, width]`.
    ///
    /// Markers are few and tokens many, so keys and values are never computed: a score `query * (hidden * K^T)^T` is
    /// computed as `(query * K) * hidden^T`, and `shares * (hidden * V^T)` as `(shares * hidden) * V^T`. A bias of the
    /// keys would add the same number to all scores of a query, which softmax cancels; that of the values is added
    /// once, since the shares sum to 1.
    fn attend(&self, batch: &Batch, marked: &Tensor) -> Result<Tensor> {
        let width = self.width();
        let (examples, markers) = batch.shape;
        let heads = width / HEAD_WIDTH;
        let queries = (self.query.forward(marked)? / (HEAD_WIDTH as f64).sqrt())?;
        let queries = queries.reshape(((), heads, HEAD_WIDTH))?.transpose(0, 1)?.contiguous()?;
        let asked = queries.matmul(&self.key.weight.reshape((heads, HEAD_WIDTH, width))?)?;
        let asked = asked.reshape((heads, examples, markers, width))?.transpose(0, 1)?.contiguous()?;
        let scores = asked.reshape((examples, (), width))?.matmul(&batch.hidden.t()?)?;
        let scores = scores.reshape((examples, heads, markers, ()))?.broadcast_add(&batch.mask)?;
        let seen = softmax(&scores)?.reshape((examples, heads * markers, ()))?.matmul(&batch.hidden)?;
        let seen = seen.reshape((examples, heads, markers, width))?.transpose(0, 1)?.contiguous()?;
        let values = self.value.weight.reshape((heads, HEAD_WIDTH, width))?.t()?;
        let seen = seen.reshape((heads, (), width))?.matmul(&values)?;
        seen.transpose(0, 1)?.reshape(((), width))?.broadcast_add(&self.value.bias)
    }

    pub(super) fn linears(&self) -> [&Linear; 8] {
        [&self.query, &self.key, &self.value, &self.mixed, &self.inner, &self.outer, &self.dense, &self.out]
    }

    pub(super) fn norms(&self) -> [&Norm; 2] {
        [&self.mixed_norm, &self.outer_norm]
    }
}

impl Linear {
    fn read(weights: &Weights, name: String) -> std::result::Result<Self, TrainError> {
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
            weight: variable(weight, &[outputs, inputs])?,
            bias: variable(linear.bias, &[outputs])?,
            name,
        })
    }

    fn shaped(self, outputs: usize, inputs: usize) -> std::result::Result<Self, TrainError> {
        let found = self.weight.dims().to_vec();
        if found != [outputs, inputs] {
            let expected = format!("[{outputs}, {inputs}]");
            return Err(WeightError::Shape { name: self.name, found, expected }.into());
        }
        Ok(self)
    }

    fn with_fixed_bias(self) -> Self {
        Self { bias: self.bias.detach(), ..self }
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.matmul(&self.weight.t()?)?.broadcast_add(&self.bias)
    }
}

impl Norm {
    fn read(weights: &Weights, name: String, width: usize) -> std::result::Result<Self, TrainError> {
        let weight = weights.vector(&format!("{name}.weight"), width)?;
        let bias = weights.vector(&format!("{name}.bias"), width)?;
        Ok(Self { weight: variable(weight, &[width])?, bias: variable(bias, &[width])?, name })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
        let spread = (x.sqr()?.mean_keepdim(D::Minus1)? + EPSILON)?.sqrt()?;
        x.broadcast_div(&spread)?.broadcast_mul(&self.weight)?.broadcast_add(&self.bias)
    }
}

fn variable(values: Vec<f32>, shape: &[usize]) -> Result<Tensor> {
    Ok(Var::from_vec(values, shape, &Device::Cpu)?.into_inner())
}

/// Softmax over the last dimension.
fn softmax(x: &Tensor) -> Result<Tensor> {
    let x = x.broadcast_sub(&x.max_keepdim(D::Minus1)?.detach())?.exp()?;
    x.broadcast_div(&x.sum_keepdim(D::Minus1)?)
}
