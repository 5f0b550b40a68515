//! The linear model: a table of quantised weights with a row for each bucket and a column for each head, and Platt
//! calibration.

use domain::moderation::Category;
use serde::{Deserialize, Serialize};

use super::features::{BUCKETS, Features};

/// The number of harms.
pub const HEADS: usize = Category::ALL.len();
/// Bytes of a weight table.
pub const TABLE_BYTES: usize = BUCKETS * HEADS;

/// The parameters of a head besides its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
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
pub struct Linear {
    table: &'static [u8],
    heads: Vec<Head>,
    decoded: Vec<[f32; 256]>,
}

impl Linear {
    /// Combines a table and its heads. `None` if either has the wrong length.
    pub fn new(table: &'static [u8], heads: Vec<Head>) -> Option<Self> {
        let decoded = heads.iter().map(|head| std::array::from_fn(|byte| dequantize(byte as u8, head.scale)));
        (table.len() == TABLE_BYTES && heads.len() == HEADS).then(|| Self {
            table,
            decoded: decoded.collect(),
            heads: heads.clone(),
        })
    }

    /// The sum of each head before calibration.
    pub fn sums(&self, features: &Features) -> [f32; HEADS] {
        let mut sums: [f32; HEADS] = std::array::from_fn(|head| self.heads[head].bias);
        for view in &features.views {
            let scale = 1.0 / length(view);
            for &(bucket, times) in view {
                let value = term_weight(times) * scale;
                for (head, sum) in sums.iter_mut().enumerate() {
                    *sum += value * self.weight(bucket, head);
                }
            }
        }
        sums
    }

    /// The calibrated probability of a sum.
    pub fn probability(&self, head: usize, sum: f32) -> f64 {
        1.0 / (1.0 + (-self.log_odds(head, sum)).exp())
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
        self.decoded[head][usize::from(self.table[bucket as usize * HEADS + head])]
    }
}

/// The Euclidean length of a view's damped term frequencies. There is no inverse document frequency: it ranked worse
/// on dev for five of seven heads.
pub fn length(view: &[(u32, u32)]) -> f32 {
    let square: f32 = view.iter().map(|&(_, times)| term_weight(times).powi(2)).sum();
    square.sqrt().max(1e-6)
}

/// The damped term frequency.
pub fn term_weight(times: u32) -> f32 {
    if times == 1 { 1.0 } else { 1.0 + (times as f32).ln() }
}

/// Quantises a weight to a signed byte, with finer steps near zero.
pub fn quantize(weight: f32, scale: f32) -> u8 {
    let share = (weight.abs() / scale).min(1.0).sqrt();
    let size = (share * 127.0).round() as i8;
    (if weight < 0.0 { -size } else { size }) as u8
}

fn dequantize(byte: u8, scale: f32) -> f32 {
    let share = f32::from(byte as i8) / 127.0;
    share * share.abs() * scale
}
