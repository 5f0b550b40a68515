//! Converts labelled messages to the trainer's sparse rows, with the server's own normaliser and features.

use engine::text::features::Features;
use engine::text::linear::{HEADS, length, term_weight};
use engine::text::normalize::normalize;
use engine::text::windows::{message_windows, sentences};
use ports::text::links;

use crate::data::LabelledText;
use crate::sgd::{Example, Problem};

/// The features of each row.
pub fn features(rows: &[LabelledText]) -> Vec<Features> {
    rows.iter()
        .map(|row| {
            let text = normalize(&row.text, &links::find(&row.text));
            Features::read(&text, 0..text.words.len())
        })
        .collect()
}

/// The features of each window of each row, as the server reads them, with the row's index and the window's penalty.
pub fn window_features(rows: &[LabelledText]) -> Vec<(usize, f32, Features)> {
    let mut features = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let text = normalize(&row.text, &links::find(&row.text));
        for window in message_windows(&row.text, &text, &sentences(&row.text, &text)) {
            features.push((at, window.penalty, Features::read(&text, window.words)));
        }
    }
    features
}

/// The sparse data set of rows, with each view scaled to unit length.
pub fn problem(
    rows: &[LabelledText],
    features: &[Features],
    weigh: impl Fn(&LabelledText, usize) -> f32,
) -> Problem<HEADS> {
    let mut problem = Problem::default();
    for (row, features) in rows.iter().zip(features) {
        let start = problem.indices.len();
        for view in &features.views {
            let length = length(view.iter().copied());
            for &(bucket, times) in view {
                problem.indices.push(bucket);
                problem.values.push(term_weight(times) / length);
            }
        }
        problem.examples.push(Example {
            start,
            end: problem.indices.len(),
            labels: row.labels.map(|label| if label == Some(true) { 1.0 } else { 0.0 }),
            weights: std::array::from_fn(
                |head| if row.labels[head].is_some() { weigh(row, head) } else { 0.0 },
            ),
        });
    }
    problem
}
