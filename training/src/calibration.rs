//! Calibrates the heads on the windows that count, as the server reads messages.

use engine::text::features::Features;
use engine::text::linear::{HEADS, Head, length, term_weight};

use crate::corpus::window_features;
use crate::data::Row;
use crate::metrics::platt;
use crate::sgd::Weights;

/// Turns in which the window that counts is chosen by the slope so far, and the slope is fitted to the windows chosen.
const TURNS: usize = 6;

/// The sums of the windows of labelled rows.
pub struct Windows<'a> {
    rows: &'a [Row],
    /// The row of each window, its penalty and its sums, by row.
    windows: Vec<(usize, f32, [f32; HEADS])>,
}

impl<'a> Windows<'a> {
    /// Sums the windows of rows.
    pub fn of(weights: &Weights<HEADS>, rows: &'a [Row]) -> Self {
        let sums = |(row, penalty, features): &(usize, f32, Features)| {
            let (mut indices, mut values) = (Vec::new(), Vec::new());
            for view in &features.views {
                let length = length(view.iter().copied());
                indices.extend(view.iter().map(|(bucket, _)| *bucket));
                values.extend(view.iter().map(|(_, times)| term_weight(*times) / length));
            }
            (*row, *penalty, weights.sums(&indices, &values))
        };
        Self { rows, windows: window_features(rows).iter().map(sums).collect() }
    }

    /// For each row with a label, the sum of the window that counts by a slope, less the penalty in units of the sum; with the label and `weight`.
    fn worst(&self, head: usize, slope: f64, weight: f64) -> impl Iterator<Item = (f64, bool, f64)> {
        self.windows.chunk_by(|a, b| a.0 == b.0).filter_map(move |windows| {
            let truth = self.rows[windows[0].0].labels[head]?;
            let worth =
                |window: &(usize, f32, [f32; HEADS])| f64::from(window.2[head]) - f64::from(window.1) / slope;
            Some((windows.iter().map(worth).fold(f64::NEG_INFINITY, f64::max), truth, weight))
        })
    }
}

/// Calibrates each head on the window that counts, as it is served: the highest of many windows is higher than the whole. Each set comes
/// with the weight of its rows.
pub fn calibrate(heads: &mut [Head], sets: &[(&Windows, f64)]) {
    for (at, head) in heads.iter_mut().enumerate() {
        let mut slope = 1.0;
        for _ in 0..TURNS {
            let seen: Vec<_> = sets.iter().flat_map(|(set, weight)| set.worst(at, slope, *weight)).collect();
            let (fitted, intercept) = platt(&seen);
            (head.slope, head.intercept) = (fitted as f32, intercept as f32);
            slope = fitted.max(0.1);
        }
    }
}
