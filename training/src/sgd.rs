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

impl<const H: usize> Problem<H> {
    /// The buckets of one row and their values.
    fn features(&self, example: &Example<H>) -> impl Iterator<Item = (&u32, &f32)> {
        self.indices[example.start..example.end].iter().zip(&self.values[example.start..example.end])
    }
}

/// How to train.
#[derive(Clone, Copy, Debug)]
pub struct SgdSettings<const H: usize> {
    /// Passes over the data.
    pub epochs: usize,
    /// Step size for each head: the larger, the closer the fit.
    pub learning_rates: [f32; H],
    /// Strength of the pull of each touched weight to zero.
    pub l2: f32,
    /// For each head, how much a feature's value is scaled by the size of its log-count ratio, 0 to 1 (Wang and Manning,
    /// "Baselines and Bigrams", 2012: the interpolated NB-SVM).
    pub ratio: [f32; H],
    /// Buckets from here on may have weight only for some heads.
    pub restricted: (usize, [bool; H]),
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

/// The slope of each head's loss at one row.
fn errors<const H: usize>(
    problem: &Problem<H>,
    example: &Example<H>,
    weights: &Weights<H>,
    scales: &[[f32; H]],
) -> [f32; H] {
    let mut sums = weights.bias;
    for (&bucket, &value) in problem.features(example) {
        let (row, scale) = (&weights.table[bucket as usize], &scales[bucket as usize]);
        for head in 0..H {
            sums[head] += value * row[head] * scale[head];
        }
    }
    std::array::from_fn(|head| {
        let probability = 1.0 / (1.0 + (-sums[head]).exp());
        example.weights[head] * (probability - example.labels[head])
    })
}

/// What each head multiplies a bucket's value by: 1, moved towards the size of its log-count ratio; 0 where restricted.
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
        let (with, without) = (with + PRIOR * base, without + PRIOR * (1.0 - base));
        let ratio = ((with / positives) / (without / negatives)).ln().abs();
        1.0 - settings.ratio[head] + settings.ratio[head] * ratio
    };
    (0..buckets).map(|bucket| std::array::from_fn(|head| scale(bucket, head))).collect()
}
