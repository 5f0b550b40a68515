//! The candidate that trains the model's last layer, for all keys together.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{
    dataset::{KeyData, Row},
    folds::mix,
};
use crate::{
    decision::checkpoint::ln,
    encoder::Weights,
    train::{Example, Head, TrainError, TrainSettings, fit},
};

/// Parts of the rows, each answered by a head that was trained on the others.
const FOLDS: u64 = 3;
/// One of so many rows decides when training stops.
const VALIDATION: u64 = 7;
/// The most rows: above, training takes too long, and the linear candidates have enough to learn from.
const MOST_ROWS: usize = 1_500;
/// The least rows.
const LEAST_ROWS: usize = 40;

/// Where training starts.
pub(super) struct Start<'a> {
    /// The model's weight file.
    pub(super) weights: &'a [u8],
    pub(super) layer: usize,
    pub(super) seed: u64,
}

/// Why there is no such candidate, for people.
pub(super) fn refused(keys: &[KeyData]) -> Option<String> {
    let rows: usize = keys.iter().map(|key| key.rows.len()).sum();
    let long = keys.iter().flat_map(|key| &key.rows).filter(|row| row.example.is_none()).count();
    match () {
        () if rows < LEAST_ROWS => Some(format!("{rows} labels are too few to train the last layer")),
        () if rows > MOST_ROWS => {
            Some(format!("the last layer is trained on at most {MOST_ROWS} labels, not {rows}"))
        }
        () if long > 0 => {
            Some(format!("{long} labels are too long, or too many, to train the last layer on"))
        }
        () => None,
    }
}

/// Trains the layer on each two thirds of the rows, which gives every row an answer that did not see it, and then on
/// all, which is the result. `progress` gets shares of the work.
///
/// # Errors
/// Cancelled, or a loss that is not finite.
pub(super) fn train(
    start: &Start<'_>,
    keys: &mut [KeyData],
    progress: &(dyn Fn(f64) + Sync),
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Head, TrainError> {
    let runs = (FOLDS + 1) as f64;
    let part = |row: &Row| mix(row.content_hash ^ mix(start.seed ^ 1)) % FOLDS;
    for fold in 0..FOLDS {
        let head = run(start, keys, &|row| part(row) != fold, goes_on, &|done| {
            progress((fold as f64 + done) / runs);
        })?;
        for row in keys.iter_mut().flat_map(|key| &mut key.rows).filter(|row| part(row) == fold) {
            let Some(example) = &row.example else { continue };
            let logits = head.logits(std::slice::from_ref(example))?.into_iter().next().unwrap_or_default();
            row.tuned = Some(log_probabilities(&logits, example.temperature));
        }
    }
    run(start, keys, &|_| true, goes_on, &|done| progress((FOLDS as f64 + done) / runs))
}

fn run(
    start: &Start<'_>,
    keys: &[KeyData],
    taken: &dyn Fn(&Row) -> bool,
    goes_on: &(dyn Fn() -> bool + Sync),
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Head, TrainError> {
    let mut head = Head::read(&Weights::read(start.weights)?, start.layer)?;
    let rows = keys.iter().flat_map(|key| &key.rows).filter(|row| taken(row));
    let validates = |row: &&Row| mix(row.content_hash ^ mix(start.seed ^ 2)).is_multiple_of(VALIDATION);
    let (validation, training): (Vec<&Row>, Vec<&Row>) = rows.partition(validates);
    let examples = |rows: Vec<&'_ Row>| -> Vec<Example> {
        rows.into_iter().filter_map(|row| row.example.clone()).collect()
    };
    let training = examples(training);
    let validation = examples(validation);
    if training.is_empty() || validation.is_empty() {
        return Ok(head);
    }
    let settings = TrainSettings {
        epochs: 6,
        learning_rate: 2e-4,
        patience: 3,
        seed: start.seed,
        ..TrainSettings::default()
    };
    let cancel = AtomicBool::new(false);
    let mut step = |at: crate::train::Progress| {
        progress(at.step as f64 / at.steps as f64);
        cancel.store(!goes_on(), Ordering::Relaxed);
    };
    fit(&mut head, &training, &validation, &settings, &mut step, &cancel)?;
    Ok(head)
}

fn log_probabilities(logits: &[f32], temperature: f32) -> Vec<f64> {
    let scaled: Vec<f64> = logits.iter().map(|logit| f64::from(logit / temperature)).collect();
    let largest = scaled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scaled.iter().map(|logit| (logit - largest).exp()).sum();
    scaled.iter().map(|logit| ln((logit - largest).exp() / sum)).collect()
}
