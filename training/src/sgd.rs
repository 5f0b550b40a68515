//! Logistic regression by AdaGrad, all heads at once, missing labels masked. One thread and a fixed order: the same rows
//! give the same weights, bit for bit.

use crate::metrics::Random;

/// One row: its features as stretches of [`Problem::indices`] and [`Problem::values`], its labels and their weights.
#[derive(Clone, Copy, Debug)]
pub struct Example<const H: usize> {
    /// First feature.
    pub start: usize,
    /// One past the last feature.
    pub end: usize,
    /// 1, 0, or anything where the weight is 0.
    pub labels: [f32; H],
    /// How much each label counts.
    pub weights: [f32; H],
}

/// A sparse data set.
#[derive(Debug, Default)]
pub struct Problem<const H: usize> {
    /// Buckets.
    pub indices: Vec<u32>,
    /// What each bucket is worth in its row.
    pub values: Vec<f32>,
    /// The rows.
    pub examples: Vec<Example<H>>,
}

/// How to train.
#[derive(Clone, Copy, Debug)]
pub struct Settings<const H: usize> {
    /// Passes over the data.
    pub epochs: usize,
    /// Step size for each head: the larger, the closer the fit.
    pub rates: [f32; H],
    /// Strength of the pull of each touched weight to zero.
    pub l2: f32,
}

/// Weights by bucket, and a bias for each head.
#[derive(Clone, Debug)]
pub struct Weights<const H: usize> {
    /// By bucket.
    pub table: Vec<[f32; H]>,
    /// By head.
    pub bias: [f32; H],
}

impl<const H: usize> Weights<H> {
    /// The sum for one row.
    pub fn sums(&self, indices: &[u32], values: &[f32]) -> [f32; H] {
        let mut sums = self.bias;
        for (&bucket, &value) in indices.iter().zip(values) {
            let row = &self.table[bucket as usize];
            for head in 0..H {
                sums[head] += value * row[head];
            }
        }
        sums
    }
}

/// Trains.
pub fn train<const H: usize>(problem: &Problem<H>, buckets: usize, settings: Settings<H>) -> Weights<H> {
    let mut weights = Weights { table: vec![[0.0; H]; buckets], bias: [-2.0; H] };
    let mut squares = vec![[1e-2_f32; H]; buckets];
    let mut bias_squares = [1.0_f32; H];
    let mut order: Vec<usize> = (0..problem.examples.len()).collect();
    let mut random = Random(0x9a4e1);
    for epoch in 0..settings.epochs {
        random.shuffle(&mut order);
        let rates = settings.rates.map(|rate| rate / (1.0 + epoch as f32 * 0.3));
        for &at in &order {
            let example = &problem.examples[at];
            let indices = &problem.indices[example.start..example.end];
            let values = &problem.values[example.start..example.end];
            let sums = weights.sums(indices, values);
            let mut errors = [0.0; H];
            for head in 0..H {
                let probability = 1.0 / (1.0 + (-sums[head]).exp());
                errors[head] = example.weights[head] * (probability - example.labels[head]);
                bias_squares[head] += errors[head] * errors[head];
                weights.bias[head] -= rates[head] * errors[head] / bias_squares[head].sqrt();
            }
            for (&bucket, &value) in indices.iter().zip(values) {
                let row = &mut weights.table[bucket as usize];
                let square = &mut squares[bucket as usize];
                for head in 0..H {
                    let active = if example.weights[head] > 0.0 { settings.l2 } else { 0.0 };
                    let gradient = errors[head] * value + active * row[head];
                    square[head] += gradient * gradient;
                    row[head] -= rates[head] * gradient / square[head].sqrt();
                }
            }
        }
    }
    weights
}
