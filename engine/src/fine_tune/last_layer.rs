//! The candidate that trains the model's last layer, for all keys together.

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use super::{
    dataset::{KeyData, LabelledRow},
    folds::mix,
    score::top,
};
use crate::{
    decision::key_head::ln,
    encoder::Weights,
    train::{TrainError, TrainSettings, TrainableHead, TrainingExample, TrainingProgress, TrainingSet, fit},
};

/// Parts of the rows, each answered by a head that was trained on the others.
const FOLDS: u64 = 3;
/// One in this many rows is used for validation.
const VALIDATION: u64 = 7;
/// The most rows. With more, training takes too long, and the linear candidates have enough to learn from.
const MOST_ROWS: usize = 1_500;
/// The fewest rows.
const LEAST_ROWS: usize = 40;

/// The layer from which training starts.
pub(super) struct InitialLayer<'a> {
    /// The model's weight file.
    pub(super) weights: &'a Bytes,
    pub(super) layer: usize,
    pub(super) seed: u64,
}

/// Why there is no such candidate; a message for people.
pub(super) fn refused(keys: &[KeyData]) -> Option<String> {
    let rows: usize = keys.iter().map(|key| key.rows.len()).sum();
    if rows < LEAST_ROWS {
        return Some(format!("the last layer is trained on at least {LEAST_ROWS} labels, not {rows}"));
    }
    if rows > MOST_ROWS {
        return Some(format!("the last layer is trained on at most {MOST_ROWS} labels, not {rows}"));
    }
    let unusable = keys.iter().flat_map(|key| &key.rows).filter(|row| row.example.is_none()).count();
    let unusable = match unusable {
        0 => return None,
        1 => "1 label is".to_owned(),
        _ => format!("{unusable} labels are"),
    };
    Some(format!("{unusable} too long, or beyond the limit, to train the last layer on"))
}

/// Trains the layer on each two thirds of the rows, so that every row gets an answer by a layer that was not trained on
/// it, and then on all rows, which is the result. `None` when the first third shows no gain, which saves three quarters
/// of the time. `progress` gets the share of the work that is done.
///
/// # Errors
/// Cancelled, or a loss that is not finite.
pub(super) fn train(
    start: &InitialLayer<'_>,
    keys: &mut [KeyData],
    progress: &(dyn Fn(f64) + Sync),
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Option<TrainableHead>, TrainError> {
    let runs = (FOLDS + 1) as f64;
    for fold in 0..FOLDS {
        let rows = keys.iter().flat_map(|key| &key.rows).filter(|row| start.fold(row) != fold);
        let head = start.train(rows, goes_on, &|done| progress((fold as f64 + done) / runs))?;
        for row in keys.iter_mut().flat_map(|key| &mut key.rows).filter(|row| start.fold(row) == fold) {
            let Some(example) = &row.example else { continue };
            let logits = head.logits(std::slice::from_ref(example))?.into_iter().next().unwrap_or_default();
            row.tuned = Some(log_probabilities(&logits, example.temperature));
        }
        if fold == 0 && !gains(keys.iter().flat_map(|key| &key.rows)) {
            keys.iter_mut().flat_map(|key| &mut key.rows).for_each(|row| row.tuned = None);
            return Ok(None);
        }
    }
    let rows = keys.iter().flat_map(|key| &key.rows);
    start.train(rows, goes_on, &|done| progress((FOLDS as f64 + done) / runs)).map(Some)
}

/// Whether the trained layer answers more of the rows that it has answered right than zero-shot does, or is surer of
/// the right answers.
fn gains<'a>(rows: impl Iterator<Item = &'a LabelledRow>) -> bool {
    let mut right = 0;
    let mut surer = 0.0;
    for row in rows {
        let Some(tuned) = &row.tuned else { continue };
        right += i32::from(top(tuned) == row.label) - i32::from(top(&row.zero_shot) == row.label);
        surer += tuned[row.label] - row.zero_shot[row.label];
    }
    right > 0 || surer > 0.0
}

impl InitialLayer<'_> {
    fn fold(&self, row: &LabelledRow) -> u64 {
        mix(row.content_hash ^ mix(self.seed ^ 1)) % FOLDS
    }

    fn validates(&self, row: &LabelledRow) -> bool {
        mix(row.content_hash ^ mix(self.seed ^ 2)).is_multiple_of(VALIDATION)
    }

    /// Trains the layer on some rows.
    fn train<'a>(
        &self,
        rows: impl Iterator<Item = &'a LabelledRow>,
        goes_on: &(dyn Fn() -> bool + Sync),
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<TrainableHead, TrainError> {
        let mut head = TrainableHead::read(&Weights::read(self.weights.clone())?, self.layer)?;
        let (validation, training): (Vec<_>, Vec<_>) = rows.partition(|row| self.validates(row));
        let training = examples(&training);
        let validation = examples(&validation);
        if training.is_empty() || validation.is_empty() {
            return Ok(head);
        }
        let settings = TrainSettings {
            epochs: 6,
            learning_rate: 2e-4,
            patience: 3,
            seed: self.seed,
            ..TrainSettings::default()
        };
        let cancel = AtomicBool::new(false);
        let on_step = &mut |at: TrainingProgress| {
            progress(at.step as f64 / at.steps as f64);
            cancel.store(!goes_on(), Ordering::Relaxed);
        };
        let set = TrainingSet { training: &training, validation: &validation };
        fit(&mut head, set, &settings, on_step, &cancel)?;
        Ok(head)
    }
}

fn examples(rows: &[&LabelledRow]) -> Vec<TrainingExample> {
    rows.iter().filter_map(|row| row.example.clone()).collect()
}

fn log_probabilities(logits: &[f32], temperature: f32) -> Vec<f64> {
    let scaled: Vec<f64> = logits.iter().map(|logit| f64::from(logit / temperature)).collect();
    let largest = scaled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scaled.iter().map(|logit| (logit - largest).exp()).sum();
    scaled.iter().map(|logit| ln((logit - largest).exp() / sum)).collect()
}
