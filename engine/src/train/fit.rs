//! The training loop: mini-batches, warm-up, linear decay and early stopping. The same examples, settings and machine
//! give the same head. The result is never worse on validation than the initial head.

use std::{
    borrow::Borrow,
    sync::atomic::{AtomicBool, Ordering},
};

use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};

use super::{
    batch::{Batch, Example, into_batches},
    error::TrainError,
    head::Head,
    optimizer::AdamW,
    temperature::{self, ScoredQuestion},
};

/// The fewest steps, however few the examples are.
const LEAST_STEPS: usize = 100;
/// Bounds of the number of steps between two validations, which otherwise is the number of batches in an epoch.
const LEAST_BETWEEN: usize = 10;
const MOST_BETWEEN: usize = 200;
/// Batches within which examples are sorted by size.
const SORTED_BATCHES: usize = 8;

/// Hyperparameters.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainSettings {
    /// The most passes over the examples.
    pub epochs: usize,
    /// The most examples of a batch; fewer if they are large.
    pub batch: usize,
    /// The peak learning rate, reached after the warm-up.
    pub learning_rate: f32,
    /// The share of the steps in the warm-up; afterwards the learning rate decays to 0.
    pub warm_up: f32,
    /// AdamW's weight decay, for matrices only.
    pub weight_decay: f32,
    /// L2-SP: the loss has half of this times the squared distance from the initial head. The fewer the examples, the
    /// larger it should be.
    pub l2_sp: f32,
    /// Gradients with a larger norm are scaled down to it.
    pub max_gradient_norm: f32,
    /// Validations without improvement after which training stops.
    pub patience: usize,
    /// The seed of the order of the examples.
    pub seed: u64,
}

/// The state of training after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
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

impl Default for TrainSettings {
    fn default() -> Self {
        Self {
            epochs: 10,
            batch: 16,
            learning_rate: 1e-4,
            warm_up: 0.1,
            weight_decay: 0.01,
            l2_sp: 0.01,
            max_gradient_norm: 1.0,
            patience: 5,
            seed: 0,
        }
    }
}

/// Trains `head` on `examples` and keeps the state that was best on `validation`. `progress` is called after every
/// step, on another thread than the caller's. Setting `cancel` ends training within a step.
///
/// # Errors
/// [`TrainError::Cancelled`], or no or invalid examples, a setting out of range, or a loss that is not finite. The
/// head then stays as it was.
pub fn fit<E: Borrow<Example>>(
    head: &mut Head,
    examples: &[E],
    validation: &[E],
    settings: &TrainSettings,
    progress: &mut (dyn FnMut(Progress) + Send),
    cancel: &AtomicBool,
) -> Result<FitReport, TrainError> {
    settings.check()?;
    if examples.is_empty() || validation.is_empty() {
        return Err(TrainError::Unfit("training and validation each need an example".into()));
    }
    let examples: Vec<&Example> = examples.iter().map(E::borrow).collect();
    let validation: Vec<&Example> = validation.iter().map(E::borrow).collect();
    let all = examples.iter().chain(&validation);
    all.enumerate().try_for_each(|(at, example)| {
        example.check(head.width()).map_err(|why| TrainError::Unfit(format!("example {at}: {why}")))
    })?;
    let run = Run { head, examples, validation, settings, cancel };
    on_one_core(|| run.run(progress))
}

struct Run<'a> {
    head: &'a Head,
    examples: Vec<&'a Example>,
    validation: Vec<&'a Example>,
    settings: &'a TrainSettings,
    cancel: &'a AtomicBool,
}

impl Run<'_> {
    fn run(&self, progress: &mut (dyn FnMut(Progress) + Send)) -> Result<FitReport, TrainError> {
        let mut optimizer = AdamW::new(self.head, self.settings)?;
        match self.descend(&mut optimizer, progress) {
            Ok((fitted, values)) => {
                optimizer.finish(Some(values))?;
                Ok(FitReport { temperature: temperature::refit(&self.scored()?), ..fitted })
            }
            Err(why) => {
                optimizer.finish(None)?;
                Err(why)
            }
        }
    }

    /// Runs the steps. Returns the report without its temperature, and the values of the best step.
    fn descend(
        &self,
        optimizer: &mut AdamW,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(FitReport, Vec<Vec<f32>>), TrainError> {
        let mut random = StdRng::seed_from_u64(self.settings.seed);
        let before = temperature::loss(&self.scored()?, 1.0);
        let mut kept = 0;
        let mut after = before;
        let mut values = optimizer.values();
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
            let share = match step < warm_up {
                true => (step + 1) as f32 / (warm_up + 1) as f32,
                false => (steps - step) as f32 / (steps - warm_up) as f32,
            };
            let loss = self.step(&batch, optimizer, self.settings.learning_rate * share)?;
            step += 1;
            let look = step.is_multiple_of(every) || step == steps;
            let validation = if look { Some(temperature::loss(&self.scored()?, 1.0)) } else { None };
            if let Some(loss) = validation.filter(|loss| *loss < after) {
                (kept, after, values) = (step, loss, optimizer.values());
            }
            progress(Progress { step, steps, loss, validation });
        }
        Ok((FitReport { steps: step, kept, before, after, temperature: 1.0 }, values))
    }

    fn step(&self, batch: &[&Example], optimizer: &mut AdamW, learning_rate: f32) -> Result<f32, TrainError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(TrainError::Cancelled);
        }
        let batch = Batch::of(batch, self.head.width())?;
        let loss = batch.loss(&self.head.forward(&batch)?)?;
        optimizer.step(&loss.backward()?, learning_rate)?;
        Ok(loss.to_scalar()?)
    }

    /// Shuffles the examples into the batches of one epoch, with examples of similar size together to save padding.
    fn pass(&self, random: &mut StdRng) -> Vec<Vec<&Example>> {
        let mut order: Vec<&Example> = self.examples.clone();
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

impl TrainSettings {
    fn check(&self) -> Result<(), TrainError> {
        let positive = [("learning_rate", self.learning_rate), ("max_gradient_norm", self.max_gradient_norm)];
        let not_negative = [("weight_decay", self.weight_decay), ("l2_sp", self.l2_sp)];
        let bad = positive.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0));
        let bad = bad.or(not_negative.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)));
        let bad = bad.or(Some(("warm_up", self.warm_up)).filter(|(_, share)| !(0.0..=1.0).contains(share)));
        if let Some((name, value)) = bad {
            return Err(TrainError::Unfit(format!("{name} of {value}")));
        }
        let counts = [("epochs", self.epochs), ("batch", self.batch), ("patience", self.patience)];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((name, _)) => Err(TrainError::Unfit(format!("{name} of 0"))),
            None => Ok(()),
        }
    }
}

/// Runs `work` in a pool of one thread, since candle otherwise multiplies matrices on all cores, which requests need.
fn on_one_core<T: Send>(work: impl FnOnce() -> Result<T, TrainError> + Send) -> Result<T, TrainError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|error| TrainError::Unfit(error.to_string()))?.install(work)
}
