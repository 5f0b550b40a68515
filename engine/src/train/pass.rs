//! The answers of a head for a batch, and the gradient of the loss by the chain rule.
//!
//! Markers are few and tokens many, so keys and values are never computed: a score `query * (hidden * K^T)^T` is
//! computed as `(query * K) * hidden^T`, and `shares * (hidden * V^T)` as `(shares * hidden) * V^T`. A bias of the keys
//! would add the same number to all scores of a query, which softmax cancels; that of the values is added once, since
//! the shares sum to 1.

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use ndarray::{Array1, Array2, Array4, ArrayView2, ArrayView3, Axis, Zip, s};

use super::{
    batch::{Batch, TrainingExample, into_batches},
    error::TrainError,
    head::{HEAD_WIDTH, Linear, Norm, TrainableHead},
};

/// BERT's epsilon.
const EPSILON: f32 = 1e-12;
/// Examples in a batch that is only evaluated.
const READ_BATCH: usize = 32;

/// A forward pass: the logits, and what the backward pass needs. `rows` is `examples * markers`.
pub(super) struct Pass {
    /// `[examples, markers]`, before temperature scaling.
    pub(super) logits: Array2<f32>,
    /// The hidden states of the markers: `[rows, width]`, as all below unless it says otherwise.
    marked: Array2<f32>,
    attention: Attention,
    mixed: Normed,
    /// Before and after its GELU: `[rows, wide]`.
    inner: Array2<f32>,
    inner_active: Array2<f32>,
    outer: Normed,
    dense: Array2<f32>,
    dense_active: Array2<f32>,
}

/// The attention of each marker to the tokens of its example.
struct Attention {
    /// Divided by the square root of the width of a head.
    queries: Array2<f32>,
    /// `[examples, heads, markers, tokens]`; each row sums to 1.
    shares: Array4<f32>,
    /// The mean hidden state that each head sees: `[examples, heads, markers, width]`.
    seen: Array4<f32>,
    out: Array2<f32>,
}

/// The result of a layer norm.
struct Normed {
    /// Before weight and bias.
    normal: Array2<f32>,
    /// The standard deviation of each row of the input.
    spread: Array1<f32>,
    out: Array2<f32>,
}

impl TrainableHead {
    /// The logits of each example's options, before temperature scaling.
    ///
    /// # Errors
    /// An example that is not for this head.
    pub fn logits(&self, examples: &[TrainingExample]) -> Result<Vec<Vec<f32>>, TrainError> {
        examples.iter().try_for_each(|example| example.check(self.width()))?;
        self.logits_unless_cancelled(&examples.iter().collect::<Vec<_>>(), &|| true)
    }

    /// The same for examples that passed their check, until `goes_on` is false.
    pub(super) fn logits_unless_cancelled(
        &self,
        examples: &[&TrainingExample],
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Vec<f32>>, TrainError> {
        let mut all = Vec::with_capacity(examples.len());
        for examples in into_batches(examples, self.width(), READ_BATCH) {
            if !goes_on() {
                return Err(TrainError::Cancelled);
            }
            let batch = Batch::of(&examples, self.width())?;
            let pass = Pass::forward(self, &batch)?;
            all.extend(
                pass.logits.rows().into_iter().zip(examples).map(|(row, example)| {
                    row.iter().copied().take(example.markers.len()).collect::<Vec<f32>>()
                }),
            );
        }
        Ok(all)
    }
}

impl Pass {
    /// Runs a head.
    ///
    /// # Errors
    /// A batch of another shape than it says.
    pub(super) fn forward(head: &TrainableHead, batch: &Batch) -> Result<Self, TrainError> {
        let marked = batch.marked();
        let attention = Attention::forward(head, batch, &marked)?;
        let mixed = head.mixed_norm.forward(&marked + &head.mixed.forward(&attention.out));
        let inner = head.inner.forward(&mixed.out);
        let inner_active = inner.mapv(gelu);
        let outer = head.outer_norm.forward(&mixed.out + &head.outer.forward(&inner_active));
        let dense = head.dense.forward(&outer.out);
        let dense_active = dense.mapv(gelu);
        let logits = head.out.forward(&dense_active).into_shape_with_order(batch.shape())?;
        Ok(Self { logits, marked, attention, mixed, inner, inner_active, outer, dense, dense_active })
    }

    /// The gradient of the batch's loss by each parameter of the head.
    ///
    /// # Errors
    /// A batch of another shape than it says.
    pub(super) fn backward(self, head: &TrainableHead, batch: &Batch) -> Result<TrainableHead, TrainError> {
        let mut gradient = head.zeros();
        let logits = batch.loss_gradient(&self.logits).into_shape_with_order((self.marked.nrows(), 1))?;
        let dense =
            head.out.backward(&logits, &self.dense_active, &mut gradient.out) * self.dense.mapv(gelu_slope);
        let outer = head.dense.backward(&dense, &self.outer.out, &mut gradient.dense);
        let outer = head.outer_norm.backward(&outer, &self.outer, &mut gradient.outer_norm);
        let inner = head.outer.backward(&outer, &self.inner_active, &mut gradient.outer)
            * self.inner.mapv(gelu_slope);
        let mixed = outer + head.inner.backward(&inner, &self.mixed.out, &mut gradient.inner);
        let mixed = head.mixed_norm.backward(&mixed, &self.mixed, &mut gradient.mixed_norm);
        let attended = head.mixed.backward(&mixed, &self.attention.out, &mut gradient.mixed);
        self.attention.backward(head, batch, &self.marked, &attended, &mut gradient)?;
        Ok(gradient)
    }
}

impl Attention {
    fn forward(head: &TrainableHead, batch: &Batch, marked: &Array2<f32>) -> Result<Self, TrainError> {
        let (examples, markers) = batch.shape();
        let width = head.width();
        let heads = width / HEAD_WIDTH;
        let tokens = batch.hidden.len_of(Axis(1));
        let queries = head.query.forward(marked) * scale();
        let mut asked = Array4::zeros((examples, heads, markers, width));
        for at in 0..heads {
            let of_head = part(&queries, at).dot(&rows(&head.key, at));
            asked
                .index_axis_mut(Axis(1), at)
                .assign(&of_head.into_shape_with_order((examples, markers, width))?);
        }
        let mut shares = Array4::zeros((examples, heads, markers, tokens));
        let mut seen = Array4::zeros((examples, heads, markers, width));
        for example in 0..examples {
            let hidden = batch.hidden.index_axis(Axis(0), example);
            let scores = flat(asked.index_axis(Axis(0), example))?.dot(&hidden.t());
            let mut of_example = shares.index_axis_mut(Axis(0), example);
            of_example.assign(&scores.into_shape_with_order((heads, markers, tokens))?);
            of_example += &batch.mask.index_axis(Axis(0), example);
            of_example.rows_mut().into_iter().for_each(|mut scores| {
                let largest = scores.fold(f32::NEG_INFINITY, |largest, &score| largest.max(score));
                scores.mapv_inplace(|score| (score - largest).exp());
                let sum = scores.sum();
                scores /= sum;
            });
            let mean = flat(of_example.view())?.dot(&hidden);
            seen.index_axis_mut(Axis(0), example)
                .assign(&mean.into_shape_with_order((heads, markers, width))?);
        }
        let mut out = Array2::zeros((examples * markers, width));
        for at in 0..heads {
            let values = of_head(&seen, at)?.dot(&rows(&head.value, at).t());
            out.slice_mut(s![.., at * HEAD_WIDTH..(at + 1) * HEAD_WIDTH]).assign(&values);
        }
        out += &head.value.bias;
        Ok(Self { queries, shares, seen, out })
    }

    /// Adds the gradients of query, key and value, given that of the output. Hidden states are not trained.
    fn backward(
        &self,
        head: &TrainableHead,
        batch: &Batch,
        marked: &Array2<f32>,
        out: &Array2<f32>,
        gradient: &mut TrainableHead,
    ) -> Result<(), TrainError> {
        let (examples, markers) = batch.shape();
        let heads = head.width() / HEAD_WIDTH;
        gradient.value.bias.assign(&out.sum_axis(Axis(0)));
        let mut seen = Array4::zeros(self.seen.raw_dim());
        for at in 0..heads {
            let out = part(out, at);
            let weight = out.t().dot(&of_head(&self.seen, at)?);
            gradient.value.weight.slice_mut(s![at * HEAD_WIDTH..(at + 1) * HEAD_WIDTH, ..]).assign(&weight);
            let of_head = out.dot(&rows(&head.value, at));
            seen.index_axis_mut(Axis(1), at).assign(&of_head.into_shape_with_order((
                examples,
                markers,
                head.width(),
            ))?);
        }
        let mut asked = Array4::zeros(self.seen.raw_dim());
        for example in 0..examples {
            let hidden = batch.hidden.index_axis(Axis(0), example);
            let shares = flat(self.shares.index_axis(Axis(0), example))?;
            let mut scores = flat(seen.index_axis(Axis(0), example))?.dot(&hidden.t());
            Zip::from(scores.rows_mut()).and(shares.rows()).for_each(|mut slope, shares| {
                let mean = slope.dot(&shares);
                slope.zip_mut_with(&shares, |slope, share| *slope = share * (*slope - mean));
            });
            asked.index_axis_mut(Axis(0), example).assign(&scores.dot(&hidden).into_shape_with_order((
                heads,
                markers,
                head.width(),
            ))?);
        }
        let mut queries = Array2::zeros(self.queries.raw_dim());
        for at in 0..heads {
            let asked = of_head(&asked, at)?;
            let weight = part(&self.queries, at).t().dot(&asked);
            gradient.key.weight.slice_mut(s![at * HEAD_WIDTH..(at + 1) * HEAD_WIDTH, ..]).assign(&weight);
            let of_head = asked.dot(&rows(&head.key, at).t());
            queries.slice_mut(s![.., at * HEAD_WIDTH..(at + 1) * HEAD_WIDTH]).assign(&of_head);
        }
        queries *= scale();
        gradient.query.weight.assign(&queries.t().dot(marked));
        gradient.query.bias.assign(&queries.sum_axis(Axis(0)));
        Ok(())
    }
}

impl Linear {
    fn forward(&self, x: &Array2<f32>) -> Array2<f32> {
        x.dot(&self.weight.t()) + &self.bias
    }

    /// Sets the gradient of weight and bias, given that of the output. Returns the gradient of the input `x`.
    fn backward(&self, out: &Array2<f32>, x: &Array2<f32>, gradient: &mut Self) -> Array2<f32> {
        gradient.weight.assign(&out.t().dot(x));
        gradient.bias.assign(&out.sum_axis(Axis(0)));
        out.dot(&self.weight)
    }
}

impl Norm {
    fn forward(&self, mut x: Array2<f32>) -> Normed {
        let width = x.ncols() as f32;
        x -= &(x.sum_axis(Axis(1)) / width).insert_axis(Axis(1));
        let spread =
            x.rows().into_iter().map(|row| (row.dot(&row) / width + EPSILON).sqrt()).collect::<Array1<f32>>();
        x /= &spread.view().insert_axis(Axis(1));
        let out = &x * &self.weight + &self.bias;
        Normed { normal: x, spread, out }
    }

    /// Sets the gradient of weight and bias, given that of the output. Returns the gradient of the input.
    fn backward(&self, out: &Array2<f32>, normed: &Normed, gradient: &mut Self) -> Array2<f32> {
        gradient.weight.assign(&(out * &normed.normal).sum_axis(Axis(0)));
        gradient.bias.assign(&out.sum_axis(Axis(0)));
        let mut slope = out * &self.weight;
        let width = slope.ncols() as f32;
        Zip::from(slope.rows_mut()).and(normed.normal.rows()).and(&normed.spread).for_each(
            |mut slope, normal, spread| {
                let mean = slope.sum() / width;
                let along = slope.dot(&normal) / width;
                slope.zip_mut_with(&normal, |slope, normal| {
                    *slope = (*slope - mean - normal * along) / spread
                });
            },
        );
        slope
    }
}

/// What queries are multiplied by.
fn scale() -> f32 {
    1.0 / (HEAD_WIDTH as f32).sqrt()
}

/// The columns of head `at`.
fn part(x: &Array2<f32>, at: usize) -> ArrayView2<'_, f32> {
    x.slice(s![.., at * HEAD_WIDTH..(at + 1) * HEAD_WIDTH])
}

/// The rows of a weight that belong to head `at`.
fn rows(linear: &Linear, at: usize) -> ArrayView2<'_, f32> {
    linear.weight.slice(s![at * HEAD_WIDTH..(at + 1) * HEAD_WIDTH, ..])
}

/// `[examples, heads, markers, width]` of head `at`: `[examples * markers, width]`.
fn of_head(x: &Array4<f32>, at: usize) -> Result<Array2<f32>, TrainError> {
    let of_head = x.index_axis(Axis(1), at).to_owned();
    let (examples, markers, width) = of_head.dim();
    Ok(of_head.into_shape_with_order((examples * markers, width))?)
}

/// `[heads, markers, width]` as `[heads * markers, width]`.
fn flat(x: ArrayView3<'_, f32>) -> Result<ArrayView2<'_, f32>, TrainError> {
    let (heads, markers, width) = x.dim();
    Ok(x.into_shape_with_order((heads * markers, width))?)
}

/// `x` times the probability that a standard normal variable is smaller.
fn gelu(x: f32) -> f32 {
    x * below(x)
}

fn gelu_slope(x: f32) -> f32 {
    below(x) + x * (-x * x / 2.0).exp() * FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0
}

/// The distribution function of the standard normal distribution.
fn below(x: f32) -> f32 {
    0.5 * (1.0 + libm::erff(x * FRAC_1_SQRT_2))
}
