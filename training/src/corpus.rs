//! Turns labelled messages into the trainer's sparse rows, by the server's own normaliser and n-grams.

use domain::moderation::links;
use engine::text::features::{BUCKETS, Features};
use engine::text::linear::{HEADS, IDF_STEP, term_weight};
use engine::text::normalize::normalize;

use crate::data::Row;
use crate::sgd::{Example, Problem};

/// The n-grams of each row.
pub fn features(rows: &[Row]) -> Vec<Features> {
    rows.iter()
        .map(|row| {
            let text = normalize(&row.text, &links::find(&row.text));
            Features::read(&text, &text.words)
        })
        .collect()
}

/// Smoothed inverse document frequencies in sixteenths; 0, which removes a bucket, for those in fewer than `least` rows.
pub fn idf(rows: &[Features], least: u32) -> Vec<u8> {
    let mut counts = vec![0_u32; BUCKETS];
    for (bucket, _) in rows.iter().flat_map(|row| row.words.iter().chain(&row.chars)) {
        counts[*bucket as usize] += 1;
    }
    let total = rows.len() as f32;
    let idf = |count: u32| ((1.0 + total) / (1.0 + count as f32)).ln() + 1.0;
    let byte = |count: &u32| if *count < least { 0 } else { (idf(*count) / IDF_STEP).round().min(255.0) as u8 };
    counts.iter().map(byte).collect()
}

/// The sparse form of rows: each view scaled to a length of 1.
pub fn problem(rows: &[Row], features: &[Features], idf: &[u8], weigh: impl Fn(&Row) -> f32) -> Problem<HEADS> {
    let mut problem = Problem::default();
    for (row, features) in rows.iter().zip(features) {
        let start = problem.indices.len();
        for view in [&features.words, &features.chars] {
            let from = problem.values.len();
            for &(bucket, times) in view.iter().filter(|(bucket, _)| idf[*bucket as usize] > 0) {
                problem.indices.push(bucket);
                problem.values.push(term_weight(times) * f32::from(idf[bucket as usize]) * IDF_STEP);
            }
            let length = problem.values[from..].iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
            problem.values[from..].iter_mut().for_each(|value| *value /= length);
        }
        problem.examples.push(Example {
            start,
            end: problem.indices.len(),
            labels: row.labels.map(|label| if label == Some(true) { 1.0 } else { 0.0 }),
            weights: std::array::from_fn(|head| {
                if row.labels[head].is_some() { weigh(row) } else { 0.0 }
            }),
        });
    }
    problem
}
