//! The domain-name model: scores how much a host name resembles those of scam sites. Makes no look-ups.

use serde::{Deserialize, Serialize};

use super::linear::quantize;

/// The number of buckets.
pub const HOST_BUCKETS: usize = 1 << 17;
/// The longest n-gram.
const MAX_NGRAM: usize = 5;

/// The parameters of the model besides its weights.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct HostHead {
    /// The weight of the byte 127, as for [`LinearHead`](super::linear::LinearHead).
    pub scale: f32,
    pub bias: f32,
    /// Platt calibration, as for the harms.
    pub slope: f32,
    pub intercept: f32,
}

/// The model with its weights.
#[derive(Debug)]
pub struct HostModel {
    table: &'static [u8],
    head: HostHead,
}

impl HostModel {
    /// Combines a table and its head. `None` if the table has the wrong length.
    pub fn new(table: &'static [u8], head: HostHead) -> Option<Self> {
        (table.len() == HOST_BUCKETS).then_some(Self { table, head })
    }

    /// The probability of a scam site, from the letters only, if half of all sites were scams.
    pub fn scam(&self, host: &str) -> f64 {
        let buckets = host_grams(host);
        let value = 1.0 / (buckets.len() as f32).sqrt();
        let sum = self.head.bias + value * buckets.iter().map(|bucket| self.weight(*bucket)).sum::<f32>();
        1.0 / (1.0 + (-f64::from(self.head.slope * sum + self.head.intercept)).exp())
    }

    fn weight(&self, bucket: u32) -> f32 {
        let share = f32::from(self.table[bucket as usize] as i8) / 127.0;
        share * share.abs() * self.head.scale
    }
}

/// A host's buckets, each once: the n-grams of lengths 1 to 5 with marked edges, the top-level domain, and the numbers
/// of labels, dashes, digits and letters of other scripts. Reads the first 100 characters.
pub fn host_grams(host: &str) -> Vec<u32> {
    let letters = letters(host);
    let foreign = host.chars().take(100).any(|char| !char.is_ascii());
    let mut buckets = Vec::with_capacity(letters.len() * MAX_NGRAM + 8);
    for at in 0..letters.len() {
        let mut hash = 0x1234_5678_9abc_def1;
        for char in letters[at..].iter().take(MAX_NGRAM) {
            hash = mix(hash, u64::from(u32::from(*char)));
            buckets.push(bucket(hash));
        }
    }
    let ending = host.rsplit('.').next().unwrap_or_default();
    let name = host.split('.').map(str::len).max().unwrap_or_default();
    let shape = [
        ending.bytes().fold(1, |hash, byte| mix(hash, u64::from(byte))),
        mix(2, count(host, |char| char == '.')),
        mix(3, count(host, |char| char == '-')),
        mix(4, count(host, |char| char.is_ascii_digit())),
        mix(5, (name / 4).min(8) as u64),
        mix(6, u64::from(foreign)),
    ];
    buckets.extend(shape.map(bucket));
    buckets.sort_unstable();
    buckets.dedup();
    buckets
}

/// The first 100 characters between marks for the edges, with look-alike letters of other scripts replaced.
fn letters(host: &str) -> Vec<char> {
    let mut letters = vec!['^'];
    for char in host.chars().take(100) {
        if char.is_ascii() {
            letters.push(char);
            continue;
        }
        match decancer::cure_char(char, decancer::Options::default()) {
            decancer::Translation::Character(cured) => letters.push(cured),
            decancer::Translation::String(cured) => letters.extend(cured.chars()),
            decancer::Translation::None => {}
        }
    }
    letters.push('$');
    letters
}

/// The number of characters that pass a test, at most 6.
fn count(host: &str, test: impl Fn(char) -> bool) -> u64 {
    host.chars().filter(|char| test(*char)).count().min(6) as u64
}

/// Quantises trained weights to a table.
pub fn quantize_table(weights: &[f32], scale: f32) -> Vec<u8> {
    weights.iter().map(|weight| quantize(*weight, scale)).collect()
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x9ddf_ea08_eb38_2d69).rotate_left(23)
}

fn bucket(hash: u64) -> u32 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (hash >> 40) as u32 & (HOST_BUCKETS as u32 - 1)
}
