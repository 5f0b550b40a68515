//! Logistic regression by AdaGrad for all heads at once, with missing labels masked. Runs on one thread in a fixed
//! order: the same rows give the same weights, bit for bit.

use crate::metrics::Random;

/// A row: its features as a range of [`Problem::indices`] and [`Problem::values`], its labels and their weights.
#[derive(Clone, Copy, Debug)]
pub struct Example<const H: usize> {
    pub start: usize,
    /// Exclusive.
    pub end: usize,
    /// 1 or 0; arbitrary where the weight is 0.
    pub labels: [f32; H],
    pub weights: [f32; H],
}

/// A sparse data set.
#[derive(Debug, Default)]
pub struct Problem<const H: usize> {
    pub indices: Vec<u32>,
    /// The value of each index in its row.
    pub values: Vec<f32>,
    pub examples: Vec<Example<H>>,
}

impl<const H: usize> Problem<H> {
    fn features(&self, example: &Example<H>) -> impl Iterator<Item = (&u32, &f32)> {
        self.indices[example.start..example.end].iter().zip(&self.values[example.start..example.end])
    }
}

/// Hyperparameters.
#[derive(Clone, Copy, Debug)]
pub struct SgdSettings<const H: usize> {
    pub epochs: usize,
    /// For each head.
    pub learning_rates: [f32; H],
    /// L2 regularization, of the weights that a row uses.
    pub l2: f32,
    /// For each head, how much a feature's value is scaled by its log-count ratio, 0 to 1 (the interpolated NB-SVM of
    /// Wang and Manning, "Baselines and Bigrams", 2012).
    pub ratio: [f32; H],
    /// The first restricted bucket, and the heads that may have weights from there on.
    pub restricted: (usize, [bool; H]),
}

#[derive(Clone, Debug)]
pub struct Weights<const H: usize> {
    pub table: Vec<[f32; H]>,
    pub bias: [f32; H],
}

impl<const H: usize> Weights<H> {
    /// The sum of each head for a row.
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

/// Trains the weights.
pub fn train<const H: usize>(problem: &Problem<H>, buckets: usize, settings: SgdSettings<H>) -> Weights<H> {
    let scales = feature_scales(problem, buckets, &settings);
    let mut weights = Weights { table: vec![[0.0; H]; buckets], bias: [-2.0; H] };
    let mut squares = vec![[1e-2_f32; H]; buckets];
    let mut bias_squares = [1.0_f32; H];
    let mut order: Vec<usize> = (0..problem.examples.len()).collect();
    let mut random = Random(0x9a4e1);
    for epoch in 0..settings.epochs {
        random.shuffle(&mut order);
        let learning_rates = settings.learning_rates.map(|rate| rate / (1.0 + epoch as f32 * 0.3));
        for &at in &order {
            let example = &problem.examples[at];
            let errors = errors(problem, example, &weights, &scales);
            for head in 0..H {
                bias_squares[head] += errors[head] * errors[head];
                weights.bias[head] -= learning_rates[head] * errors[head] / bias_squares[head].sqrt();
            }
            for (&bucket, &value) in problem.features(example) {
                let row = &mut weights.table[bucket as usize];
                let square = &mut squares[bucket as usize];
                let scale = &scales[bucket as usize];
                for head in 0..H {
                    let pull = if example.weights[head] > 0.0 { settings.l2 } else { 0.0 };
                    let gradient = errors[head] * value * scale[head] + pull * row[head];
                    square[head] += gradient * gradient;
                    row[head] -= learning_rates[head] * gradient / square[head].sqrt();
                }
            }
        }
    }
    for (row, scale) in weights.table.iter_mut().zip(&scales) {
        row.iter_mut().zip(scale).for_each(|(weight, scale)| *weight *= scale);
    }
    weights
}

/// The derivative of each head's loss at a row.
fn errors<const H: usize>(
    problem: &Problem<H>,
    example: &Example<H>,
    weights: &Weights<H>,
    scales: &[[f32; H]],
) -> [f32; H] {
    let mut sums = weights.bias;
    for (&bucket, &value) in problem.features(example) {
        let row = &weights.table[bucket as usize];
        let scale = &scales[bucket as usize];
        for head in 0..H {
            sums[head] += value * row[head] * scale[head];
        }
    }
    std::array::from_fn(|head| {
        let probability = 1.0 / (1.0 + (-sums[head]).exp());
        example.weights[head] * (probability - example.labels[head])
    })
}

/// The factor of a bucket's value for each head: between 1 and its log-count ratio; 0 where it is restricted.
fn feature_scales<const H: usize>(
    problem: &Problem<H>,
    buckets: usize,
    settings: &SgdSettings<H>,
) -> Vec<[f32; H]> {
    const PRIOR: f32 = 20.0;
    let mut counts = vec![[[0.0_f32; 2]; H]; buckets];
    let mut totals = [[0.0_f32; 2]; H];
    for example in &problem.examples {
        for head in (0..H).filter(|head| example.weights[*head] > 0.0) {
            let label = usize::from(example.labels[head] > 0.5);
            totals[head][label] += 1.0;
            for (bucket, _) in problem.features(example) {
                counts[*bucket as usize][head][label] += 1.0;
            }
        }
    }
    let (restricted, open) = settings.restricted;
    let scale = |bucket: usize, head: usize| {
        if bucket >= restricted && !open[head] {
            return 0.0;
        }
        if settings.ratio[head] == 0.0 {
            return 1.0;
        }
        let [negatives, positives] = totals[head];
        let base = positives / (negatives + positives);
        let [without, with] = counts[bucket][head];
        let with = with + PRIOR * base;
        let without = without + PRIOR * (1.0 - base);
        let ratio = ((with / positives) / (without / negatives)).ln().abs();
        1.0 - settings.ratio[head] + settings.ratio[head] * ratio
    };
    (0..buckets).map(|bucket| std::array::from_fn(|head| scale(bucket, head))).collect()
}
