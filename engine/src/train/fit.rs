//! The training loop: mini-batches, warm-up, linear decay and early stopping. The same examples, settings and machine
//! result in the same head. The result is never worse on validation than the initial head.

use std::{
    borrow::Borrow,
    sync::atomic::{AtomicBool, Ordering},
};

use ndarray::ArrayD;
use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};

use super::{
    batch::{Batch, TrainingExample, into_batches},
    error::TrainError,
    head::TrainableHead,
    optimizer::AdamW,
    pass::Pass,
    settings::TrainSettings,
    temperature::{self, ScoredQuestion},
};

/// The fewest steps, however few examples there are.
const LEAST_STEPS: usize = 100;
/// The number of steps between two validations is the number of batches in an epoch, within these bounds.
const LEAST_BETWEEN: usize = 10;
const MOST_BETWEEN: usize = 200;
/// Batches within which examples are sorted by size.
const SORTED_BATCHES: usize = 8;

/// The examples of a training.
#[derive(Clone, Copy, Debug)]
pub struct TrainingSet<'a, E> {
    /// The examples that the head is trained on.
    pub training: &'a [E],
    /// The examples that choose the best step.
    pub validation: &'a [E],
}

/// The state of training after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingProgress {
    /// Counted from 1.
    pub step: usize,
    /// The most steps there will be.
    pub steps: usize,
    /// The mean cross entropy of the step's batch, in nats.
    pub loss: f32,
    /// The mean cross entropy of the validation examples, after the steps at which it is computed.
    pub validation: Option<f64>,
}

/// The result of training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitReport {
    pub steps: usize,
    /// The step whose head was kept; 0 for the initial head.
    pub kept: usize,
    /// The mean cross entropy on validation before training, in nats.
    pub before: f64,
    /// The same for the head that was kept, before its temperatures are fitted.
    pub after: f64,
    /// The factor for the head's temperatures, fitted on validation.
    pub temperature: f64,
}

/// Trains `head` and keeps the state that was best on the validation examples. `progress` is called after every step.
/// Setting `cancel` ends training within a step.
///
/// # Errors
/// [`TrainError::Cancelled`], or no or invalid examples, a setting out of range, or a loss that is not finite. The
/// head then stays as it was.
pub fn fit<E: Borrow<TrainingExample>>(
    head: &mut TrainableHead,
    set: TrainingSet<'_, E>,
    settings: &TrainSettings,
    progress: &mut dyn FnMut(TrainingProgress),
    cancel: &AtomicBool,
) -> Result<FitReport, TrainError> {
    settings.check()?;
    if set.training.is_empty() || set.validation.is_empty() {
        return Err(TrainError::Unfit("training and validation each need an example".into()));
    }
    let examples: Vec<&TrainingExample> = set.training.iter().map(E::borrow).collect();
    let validation: Vec<&TrainingExample> = set.validation.iter().map(E::borrow).collect();
    let all = examples.iter().chain(&validation);
    all.enumerate().try_for_each(|(at, example)| {
        example.check(head.width()).map_err(|why| TrainError::Unfit(format!("example {at}: {why}")))
    })?;
    let start = head.snapshot();
    let fitted = TrainingRun { head, examples, validation, settings, cancel }.run(progress);
    if fitted.is_err() {
        head.restore(&start);
    }
    fitted
}

struct TrainingRun<'a> {
    head: &'a mut TrainableHead,
    examples: Vec<&'a TrainingExample>,
    validation: Vec<&'a TrainingExample>,
    settings: &'a TrainSettings,
    cancel: &'a AtomicBool,
}

impl<'a> TrainingRun<'a> {
    fn run(mut self, progress: &mut dyn FnMut(TrainingProgress)) -> Result<FitReport, TrainError> {
        let (fitted, best) = self.descend(progress)?;
        self.head.restore(&best);
        Ok(FitReport { temperature: temperature::refit(&self.scored()?), ..fitted })
    }

    /// Runs the steps. Returns the report without its temperature, and the parameters of the best step.
    fn descend(
        &mut self,
        progress: &mut dyn FnMut(TrainingProgress),
    ) -> Result<(FitReport, Vec<ArrayD<f32>>), TrainError> {
        let mut optimizer = AdamW::new(self.head, self.settings);
        let mut random = StdRng::seed_from_u64(self.settings.seed);
        let before = temperature::loss(&self.scored()?, 1.0);
        let mut kept = 0;
        let mut after = before;
        let mut best = self.head.snapshot();
        let mut batches = self.pass(&mut random);
        let every = batches.len().clamp(LEAST_BETWEEN, MOST_BETWEEN);
        let steps = (self.settings.epochs * batches.len()).max(LEAST_STEPS);
        let warm_up = (self.settings.warm_up * steps as f32) as usize;
        let mut step = 0;
        while step < steps && step.saturating_sub(kept.max(warm_up)) < self.settings.patience * every {
            let batch = match batches.pop() {
                Some(batch) => batch,
                None => {
                    batches = self.pass(&mut random);
                    continue;
                }
            };
            let share = if step < warm_up {
                (step + 1) as f32 / (warm_up + 1) as f32
            } else {
                (steps - step) as f32 / (steps - warm_up) as f32
            };
            let loss = self.step(&batch, &mut optimizer, self.settings.learning_rate * share)?;
            step += 1;
            let validates = step.is_multiple_of(every) || step == steps;
            let validation = if validates { Some(temperature::loss(&self.scored()?, 1.0)) } else { None };
            if let Some(loss) = validation.filter(|loss| *loss < after) {
                kept = step;
                after = loss;
                best = self.head.snapshot();
            }
            progress(TrainingProgress { step, steps, loss, validation });
        }
        Ok((FitReport { steps: step, kept, before, after, temperature: 1.0 }, best))
    }

    fn step(
        &mut self,
        batch: &[&TrainingExample],
        optimizer: &mut AdamW,
        learning_rate: f32,
    ) -> Result<f32, TrainError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(TrainError::Cancelled);
        }
        let batch = Batch::of(batch, self.head.width())?;
        let pass = Pass::forward(self.head, &batch)?;
        let loss = batch.loss(&pass.logits);
        let gradient = pass.backward(self.head, &batch)?;
        optimizer.step(self.head, &gradient, learning_rate)?;
        Ok(loss)
    }

    /// Shuffles the examples into the batches of one epoch, with examples of similar size together to save padding.
    fn pass(&self, random: &mut StdRng) -> Vec<Vec<&'a TrainingExample>> {
        let mut order: Vec<&'a TrainingExample> = self.examples.clone();
        order.shuffle(random);
        for near in order.chunks_mut(SORTED_BATCHES * self.settings.batch) {
            near.sort_by_key(|example| (example.markers.len(), example.hidden.len()));
        }
        let mut batches = into_batches(&order, self.head.width(), self.settings.batch);
        batches.shuffle(random);
        batches
    }

    fn scored(&self) -> Result<Vec<ScoredQuestion>, TrainError> {
        let logits =
            self.head.logits_unless_cancelled(&self.validation, &|| !self.cancel.load(Ordering::Relaxed))?;
        let scored = logits.into_iter().zip(&self.validation).map(|(logits, example)| {
            let temperature = f64::from(example.temperature);
            let logits = logits.into_iter().map(|logit| f64::from(logit) / temperature).collect();
            ScoredQuestion { logits, target: example.target.clone() }
        });
        Ok(scored.collect())
    }
}
