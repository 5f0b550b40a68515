//! The linear model: a table of quantised weights with a row for each bucket and a column for each head, and Platt
//! calibration.

use ports::text::Category;
use serde::{Deserialize, Serialize};

use super::features::{BUCKETS, Features};

/// The number of harms.
pub const HEADS: usize = Category::ALL.len();
/// The byte of the largest weight.
const MOST: i8 = 127;
/// Bytes of a weight table.
pub const TABLE_BYTES: usize = BUCKETS * HEADS;

/// The probability of log-odds.
pub(crate) fn sigmoid(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// The parameters of a head besides its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinearHead {
    /// The name of the harm, such as `scam`.
    pub name: String,
    /// The weight of the byte 127. A byte `b` stands for `scale * (b / 127)^2`, with the sign of `b`.
    pub scale: f32,
    pub bias: f32,
    /// Platt calibration: probability = sigmoid(slope * sum + intercept).
    pub slope: f32,
    pub intercept: f32,
}

/// The model with its weights.
#[derive(Debug)]
pub struct LinearModel {
    table: &'static [u8],
    heads: Vec<LinearHead>,
    /// For each head the weight of one step; a byte `b` stands for `b * |b|` steps.
    steps: [f32; HEADS],
}

impl LinearModel {
    /// Combines a table and its heads. `None` if either has the wrong length.
    pub fn new(table: &'static [u8], heads: Vec<LinearHead>) -> Option<Self> {
        (table.len() == TABLE_BYTES && heads.len() == HEADS).then(|| Self {
            table,
            steps: std::array::from_fn(|head| heads[head].scale / f32::from(MOST).powi(2)),
            heads,
        })
    }

    /// The sum of each head before calibration.
    pub fn sums(&self, features: &Features) -> [f32; HEADS] {
        let mut steps = [0.0; HEADS];
        features.views.iter().for_each(|view| self.add_view(&mut steps, view.iter().copied()));
        self.sums_of(steps)
    }

    /// The sum of each head, from the steps of its features.
    pub(super) fn sums_of(&self, steps: [f32; HEADS]) -> [f32; HEADS] {
        std::array::from_fn(|head| self.heads[head].bias + self.steps[head] * steps[head])
    }

    /// Adds the steps of a view, scaled to unit length.
    pub(super) fn add_view(&self, sums: &mut [f32; HEADS], view: impl Iterator<Item = (u32, u32)> + Clone) {
        let scale = 1.0 / length(view.clone());
        for (bucket, times) in view {
            let value = term_weight(times) * scale;
            sums.iter_mut().zip(self.steps(bucket)).for_each(|(sum, steps)| *sum += value * steps as f32);
        }
    }

    /// The weight of a bucket for each head, in steps.
    pub(super) fn steps(&self, bucket: u32) -> [i32; HEADS] {
        let row = &self.table[bucket as usize * HEADS..][..HEADS];
        std::array::from_fn(|head| {
            let byte = i32::from(row[head] as i8);
            byte * byte.abs()
        })
    }

    /// The calibrated log-odds of a sum.
    pub fn log_odds(&self, head: usize, sum: f32) -> f64 {
        let head = &self.heads[head];
        f64::from(head.slope * sum + head.intercept)
    }

    /// The log-odds of one unit of a head's sum.
    pub fn slope(&self, head: usize) -> f32 {
        self.heads[head].slope
    }

    pub fn weight(&self, bucket: u32, head: usize) -> f32 {
        self.steps[head] * self.steps(bucket)[head] as f32
    }
}

/// The Euclidean length of a view's damped term frequencies. There is no inverse document frequency: it ranked worse
/// on dev for five of seven heads.
pub fn length(view: impl Iterator<Item = (u32, u32)>) -> f32 {
    let square: f32 = view.map(|(_, times)| term_weight(times).powi(2)).sum();
    square.sqrt().max(1e-6)
}

/// The damped term frequency.
pub fn term_weight(times: u32) -> f32 {
    if times == 1 { 1.0 } else { 1.0 + (times as f32).ln() }
}

/// Quantises a weight to a signed byte, with finer steps near zero.
pub fn quantize(weight: f32, scale: f32) -> u8 {
    let share = (weight.abs() / scale).min(1.0).sqrt();
    let size = (share * f32::from(MOST)).round() as i8;
    (if weight < 0.0 { -size } else { size }) as u8
}
