//! AdamW over a head's variables, with the gradient's length limited and a pull towards where they started. Moves no
//! variable when a gradient is not a number.

use candle_core::{Device, Tensor, Var, backprop::GradStore};

use super::{error::TrainError, fit::Settings, head::Head};

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The optimizer and what it remembers.
pub(super) struct AdamW {
    slots: Vec<Slot>,
    steps: i32,
    clip: f32,
    pull: f32,
}

/// One variable. The numbers are kept beside it, for one pass over them is ten times quicker than tensor operations.
struct Slot {
    name: String,
    var: Var,
    values: Vec<f32>,
    start: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    /// Of a matrix; biases and norms do not decay.
    weight_decay: f32,
}

impl AdamW {
    pub(super) fn new(head: &Head, settings: &Settings) -> Result<Self, TrainError> {
        let slots = head.variables().into_iter().map(|(name, var)| {
            let values = var.flatten_all()?.to_vec1::<f32>()?;
            let zeros = vec![0.0; values.len()];
            let weight_decay = if var.rank() > 1 { settings.weight_decay } else { 0.0 };
            let (start, mean, square) = (values.clone(), zeros.clone(), zeros);
            Ok(Slot { name, var, values, start, mean, square, weight_decay })
        });
        let slots = slots.collect::<Result<_, TrainError>>()?;
        Ok(Self { slots, steps: 0, clip: settings.clip, pull: settings.pull })
    }

    /// One step of size `rate` down the gradients of the loss.
    pub(super) fn step(&mut self, gradients: &GradStore, rate: f32) -> Result<(), TrainError> {
        let gradients = self.slots.iter().map(|slot| {
            let gradient =
                gradients.get(&slot.var).ok_or_else(|| format!("`{}` gets no gradient", slot.name))?;
            Ok(gradient.flatten_all()?.to_vec1::<f32>()?)
        });
        let gradients = gradients.collect::<Result<Vec<Vec<f32>>, TrainError>>()?;
        let squares = gradients.iter().flatten().map(|&g| f64::from(g).powi(2)).sum::<f64>();
        if !squares.is_finite() {
            return Err(TrainError::Unfit("the loss is no longer a number".into()));
        }
        let share = (self.clip / squares.sqrt() as f32).min(1.0);
        self.steps += 1;
        let mean_rate = rate / (1.0 - MEAN_DECAY.powi(self.steps));
        let square_share = 1.0 / (1.0 - SQUARE_DECAY.powi(self.steps));
        for (slot, gradient) in self.slots.iter_mut().zip(gradients) {
            let kept = 1.0 - rate * slot.weight_decay;
            let state = slot.mean.iter_mut().zip(&mut slot.square).zip(&slot.start);
            for ((value, gradient), ((mean, square), start)) in
                slot.values.iter_mut().zip(gradient).zip(state)
            {
                let gradient = gradient * share + self.pull * (*value - start);
                *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * gradient;
                *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * gradient * gradient;
                *value = *value * kept - mean_rate * *mean / ((*square * square_share).sqrt() + EPSILON);
            }
            slot.put(&slot.values)?;
        }
        Ok(())
    }

    /// The variables' numbers as they are.
    pub(super) fn values(&self) -> Vec<Vec<f32>> {
        self.slots.iter().map(|slot| slot.values.clone()).collect()
    }

    /// Ends with the numbers that [`AdamW::values`] once gave, or, without, with those at the start.
    pub(super) fn finish(self, values: Option<Vec<Vec<f32>>>) -> Result<(), TrainError> {
        let values = values.unwrap_or_else(|| self.slots.iter().map(|slot| slot.start.clone()).collect());
        self.slots.iter().zip(&values).try_for_each(|(slot, values)| slot.put(values))
    }
}

impl Slot {
    fn put(&self, values: &[f32]) -> Result<(), TrainError> {
        Ok(self.var.set(&Tensor::from_slice(values, self.var.dims(), &Device::Cpu)?)?)
    }
}
