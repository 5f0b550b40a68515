//! Hyperparameters of training.

use super::error::TrainError;

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
    /// L2-SP: half of this times the squared distance from the initial head is added to the loss. The fewer the
    /// examples, the larger it should be.
    pub l2_sp: f32,
    /// Gradients with a larger norm are scaled down to it.
    pub max_gradient_norm: f32,
    /// Validations without improvement after which training stops.
    pub patience: usize,
    /// The seed of the order of the examples.
    pub seed: u64,
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

impl TrainSettings {
    pub(super) fn check(&self) -> Result<(), TrainError> {
        let positive = [("learning_rate", self.learning_rate), ("max_gradient_norm", self.max_gradient_norm)];
        let not_negative = [("weight_decay", self.weight_decay), ("l2_sp", self.l2_sp)];
        let bad = positive.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0));
        let bad = bad.or(not_negative.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)));
        let bad = bad.or(Some(("warm_up", self.warm_up)).filter(|(_, share)| !(0.0..=1.0).contains(share)));
        if let Some((name, value)) = bad {
            return Err(TrainError::Unfit(format!("`{name}` of {value} is out of range")));
        }
        let counts = [("epochs", self.epochs), ("batch", self.batch), ("patience", self.patience)];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((name, _)) => Err(TrainError::Unfit(format!("`{name}` must be at least 1"))),
            None => Ok(()),
        }
    }
}
