//! The linear model: a table of quantised weights, one row a bucket, one column a head. It only adds up; what its sums
//! mean is the calibration's to say.

use domain::moderation::Category;
use serde::{Deserialize, Serialize};

use super::features::{BUCKETS, Features};

/// How many harms are scored.
pub const HEADS: usize = Category::ALL.len();
/// Bytes of a weight table: a weight per head for each bucket.
pub const TABLE_BYTES: usize = BUCKETS * HEADS;

/// What a table needs beside its bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    /// The harm, by its wire name.
    pub name: String,
    /// The weight that the byte 127 stands for; others by the square of their share of 127.
    pub scale: f32,
    /// Added to every sum.
    pub bias: f32,
    /// Platt's calibration: probability = sigmoid(slope x sum + intercept).
    pub slope: f32,
    /// See `slope`.
    pub intercept: f32,
}

/// The model, ready to score.
#[derive(Debug)]
pub struct Linear {
    table: &'static [u8],
    heads: Vec<Head>,
    decoded: Vec<[f32; 256]>,
}

impl Linear {
    /// Binds a table to its heads. `None` if either is not of the right length.
    pub fn new(table: &'static [u8], heads: Vec<Head>) -> Option<Self> {
        let decoded = heads.iter().map(|head| std::array::from_fn(|byte| dequantize(byte as u8, head.scale)));
        (table.len() == TABLE_BYTES && heads.len() == HEADS).then(|| Self {
            table,
            decoded: decoded.collect(),
            heads: heads.clone(),
        })
    }

    /// The sum for each head, before calibration.
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

    /// The probability that a sum stands for.
    pub fn probability(&self, head: usize, sum: f32) -> f64 {
        let head = &self.heads[head];
        1.0 / (1.0 + (-f64::from(head.slope * sum + head.intercept)).exp())
    }

    /// Log-odds for one unit of a head's sum.
    pub fn slope(&self, head: usize) -> f32 {
        self.heads[head].slope
    }

    /// One weight.
    pub fn weight(&self, bucket: u32, head: usize) -> f32 {
        self.decoded[head][usize::from(self.table[bucket as usize * HEADS + head])]
    }
}

/// Euclidean length of one view's damped term frequencies. Weighing rare terms more (inverse document frequency) ranked
/// worse on dev for five of seven heads, so there is none.
pub fn length(view: &[(u32, u32)]) -> f32 {
    let square: f32 = view.iter().map(|&(_, times)| term_weight(times).powi(2)).sum();
    square.sqrt().max(1e-6)
}

/// Term frequency, damped.
pub fn term_weight(times: u32) -> f32 {
    if times == 1 { 1.0 } else { 1.0 + (times as f32).ln() }
}

/// A weight as a byte: signed, finer near zero.
pub fn quantize(weight: f32, scale: f32) -> u8 {
    let share = (weight.abs() / scale).min(1.0).sqrt();
    let size = (share * 127.0).round() as i8;
    (if weight < 0.0 { -size } else { size }) as u8
}

fn dequantize(byte: u8, scale: f32) -> f32 {
    let share = f32::from(byte as i8) / 127.0;
    share * share.abs() * scale
}
