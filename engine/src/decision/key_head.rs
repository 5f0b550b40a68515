//! How a Checkpoint answers one question.

use std::sync::Arc;

use super::{config::softmax, error::CheckpointError};
use crate::encoder::{Head, Weights};

/// Probabilities below this count as this before their logarithm is taken.
const LEAST: f64 = 1e-6;

/// How a question is answered: `softmax(zero_shot * ln p + tuned * ln t + weight * features + bias)`, where `p` are the
/// probabilities by the base model, and `t` those by the trained last layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyHead {
    pub(crate) zero_shot: f64,
    pub(crate) tuned: f64,
    /// `[options, features]`, row-major; may be empty.
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    /// The trained last layer; present when `tuned` is not 0.
    pub(crate) head: Option<Arc<Head>>,
}

/// What the model computed for a question, with the options in the order of the sequences.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// The probabilities by the base model.
    pub(crate) zero_shot: Vec<f64>,
    /// The probabilities by the trained last layer, if there is one.
    pub(crate) tuned: Option<Vec<f64>>,
    /// Means over the sequences.
    pub(crate) features: Vec<f32>,
}

impl KeyHead {
    /// Reads the weight and the bias of key number `n`; the factors are 0 and there is no last layer.
    ///
    /// # Errors
    /// A tensor that is missing, or of another type or shape, or has a value that is not finite.
    pub(super) fn read(weights: &Weights, n: usize) -> Result<Self, CheckpointError> {
        let name = format!("key.{n}.weight");
        let (shape, weight) = weights.floats(&name)?;
        let &[options, _] = shape.as_slice() else { return Err(CheckpointError::NoMatrix(name)) };
        let bias = weights.vector(&format!("key.{n}.bias"), options)?;
        if !weight.iter().chain(&bias).all(|value| value.is_finite()) {
            return Err(CheckpointError::NotFinite(n));
        }
        Ok(Self { weight, bias, ..Self::default() })
    }

    /// Returns a probability for each option.
    ///
    /// # Errors
    /// Other numbers of options or features than it was trained on.
    pub(crate) fn probabilities(&self, evidence: &Evidence) -> Result<Vec<f64>, CheckpointError> {
        let expected = self.bias.len();
        let options = evidence.zero_shot.len();
        let features = evidence.features.len();
        if expected != options || !(self.weight.is_empty() || self.weight.len() == options * features) {
            return Err(CheckpointError::Evidence { expected, options, features });
        }
        Ok(softmax(&self.logits(evidence)))
    }

    fn logits(&self, evidence: &Evidence) -> Vec<f64> {
        let logits = evidence.zero_shot.iter().enumerate().map(|(option, p)| {
            let tuned = evidence.tuned.as_ref().map_or(0.0, |tuned| self.tuned * ln(tuned[option]));
            let linear = self.linear(option, &evidence.features);
            self.zero_shot * ln(*p) + tuned + linear + f64::from(self.bias[option])
        });
        logits.collect()
    }

    fn linear(&self, option: usize, features: &[f32]) -> f64 {
        let width = features.len().max(1);
        let row = self.weight.get(option * width..(option + 1) * width).unwrap_or(&[]);
        row.iter().zip(features).map(|(w, x)| f64::from(*w) * f64::from(*x)).sum()
    }
}

/// The logarithm of a probability, bounded.
pub(crate) fn ln(p: f64) -> f64 {
    p.max(LEAST).ln()
}
