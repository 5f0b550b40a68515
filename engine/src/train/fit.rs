//! The training of a head: mini-batches, a warm-up, a decline, a stop when validation no longer improves. The same
//! examples, settings and machine give the same head. Never leaves a head worse on validation than it came.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};

use super::{
    batch::{Batch, Example, into_batches},
    error::TrainError,
    head::Head,
    optimizer::AdamW,
    temperature::{self, ScoredQuestion},
};

/// Steps taken however few the examples are: less would end within the warm-up.
const LEAST_STEPS: usize = 100;
/// Steps between two looks at validation: those of a pass over the examples, within these bounds.
const LEAST_BETWEEN: usize = 10;
const MOST_BETWEEN: usize = 200;
/// Batches among which examples of like size are brought together.
const SORTED_BATCHES: usize = 8;

/// How to train.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainSettings {
    /// Passes over the examples, if validation improves so long.
    pub epochs: usize,
    /// Examples in a batch; fewer where they are large.
    pub batch: usize,
    /// The largest step, reached after the warm-up.
    pub learning_rate: f32,
    /// The share of the steps in which the learning_rate grows to its largest; from there it falls to 0.
    pub warm_up: f32,
    /// By what share of themselves, times the learning_rate, matrices shrink at each step.
    pub weight_decay: f32,
    /// The loss has half of this times the square of the distance from the starting head: the fewer the examples, the
    /// larger it should be.
    pub l2_sp: f32,
    /// The most length of a gradient; a longer one is shortened.
    pub max_gradient_norm: f32,
    /// Looks at validation without improvement after which training ends.
    pub patience: usize,
    /// Decides the order of the examples.
    pub seed: u64,
}

/// Where training is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken, from 1.
    pub step: usize,
    /// Steps there will be at most.
    pub steps: usize,
    /// The mean cross entropy of this step's batch, in nats.
    pub loss: f32,
    /// That of the validation examples, after the steps at which it was looked at.
    pub validation: Option<f64>,
}

/// What came of training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitReport {
    /// Steps taken.
    pub steps: usize,
    /// The step whose head was kept: 0 for the starting head.
    pub kept: usize,
    /// Mean cross entropy of validation before training, in nats.
    pub before: f64,
    /// And of the head that was kept, before the refit of its temperatures.
    pub after: f64,
    /// By what to multiply every temperature of the head: fitted on validation.
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

/// Trains `head` on `examples`, and leaves in it what did best on `validation`. `progress` is told of
/// every step, on another thread than the caller's; within a step of `cancel` becoming true training ends.
///
/// # Errors
/// [`TrainError::Cancelled`], or no examples, an unfit one, a setting out of its range, a loss that is no number. The
/// head is then as it came.
pub fn fit(
    head: &mut Head,
    examples: &[Example],
    validation: &[Example],
    settings: &TrainSettings,
    progress: &mut (dyn FnMut(Progress) + Send),
    cancel: &AtomicBool,
) -> Result<FitReport, TrainError> {
    settings.check()?;
    if examples.is_empty() || validation.is_empty() {
        return Err(TrainError::Unfit("training and validation each need an example".into()));
    }
    let all = examples.iter().chain(validation);
    all.enumerate().try_for_each(|(at, example)| {
        example.check(head.width()).map_err(|why| TrainError::Unfit(format!("example {at}: {why}")))
    })?;
    let run = Run { head, examples, validation: validation.iter().collect(), settings, cancel };
    on_one_core(|| run.run(progress))
}

struct Run<'a> {
    head: &'a Head,
    examples: &'a [Example],
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

    /// What training came to but for the temperature, and the variables' numbers at the step to keep.
    fn descend(
        &self,
        optimizer: &mut AdamW,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(FitReport, Vec<Vec<f32>>), TrainError> {
        let mut random = StdRng::seed_from_u64(self.settings.seed);
        let before = temperature::loss(&self.scored()?, 1.0);
        let (mut kept, mut after, mut values) = (0, before, optimizer.values());
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

    /// One pass over the examples in a new order, those of like size together, for padding is work.
    fn pass(&self, random: &mut StdRng) -> Vec<Vec<&Example>> {
        let mut order: Vec<&Example> = self.examples.iter().collect();
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

/// candle multiplies matrices on all cores unless it runs in a smaller pool; requests need them.
fn on_one_core<T: Send>(work: impl FnOnce() -> Result<T, TrainError> + Send) -> Result<T, TrainError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|error| TrainError::Unfit(error.to_string()))?.install(work)
}
