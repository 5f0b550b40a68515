//! What the examples of a rule teach: the direction among the vectors of messages from those that keep to it to those
//! that break it, which is added to what the model says of the rule; and the rule's own threshold, from what each
//! example scores when the direction is computed without it. With many examples they decide alone, and the model is not
//! asked about the rule: that costs a tenth of the time, and .01 of the AUC.
//!
//! The constants were chosen on the half `choose` of `training/text/yardstick/rules.jsonl`. A head with weights of its
//! own for each rule was no better there.

use crate::operations::moderation::{odds::sigmoid, rules::Examples};

/// Examples on each side from which a rule learns.
const ENOUGH: usize = 3;
/// Examples on each side from which they decide alone.
const MANY: usize = 10;
/// Log-odds per unit along the direction.
const SCALE: f64 = 30.0;
/// The weight of what the model says, in log-odds, beside the examples.
const SAID: f64 = 0.6;
/// The weight of a threshold halfway between both sides, in examples.
const HALFWAY: f64 = 2.0;
/// Steps of Newton's method; it converges within a few.
const STEPS: usize = 20;

/// What the examples of a rule taught; nothing by default.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RuleFit {
    /// From the mean of what is allowed to the mean of what is not; empty without enough examples.
    direction: Vec<f32>,
    /// The weight of what the model says.
    said: f64,
    /// The log-odds that are taken off, so that a message as near to one side as to the other has none.
    threshold: f64,
}

/// A message that was read for a rule.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub(super) broken: bool,
    /// The log-odds that the model gives.
    pub(super) said: f64,
    /// A unit vector; empty from a model that makes none.
    pub(super) vector: Vec<f32>,
}

impl Default for RuleFit {
    fn default() -> Self {
        Self { direction: Vec::new(), said: 1.0, threshold: 0.0 }
    }
}

/// Whether examples decide alone where messages have vectors.
pub(super) fn is_many(examples: &Examples) -> bool {
    examples.allowed.len() >= MANY && examples.not_allowed.len() >= MANY
}

/// Whether a rule has enough examples to learn from.
pub(super) fn is_enough(examples: &Examples) -> bool {
    examples.allowed.len() >= ENOUGH && examples.not_allowed.len() >= ENOUGH
}

impl RuleFit {
    /// Learns from at least [`ENOUGH`] examples of each side. `alone`: they decide alone.
    pub(super) fn of(examples: &[Example], alone: bool) -> Self {
        let mut fit = Self { direction: Vec::new(), said: if alone { 0.0 } else { SAID }, threshold: 0.0 };
        let mut scored = Vec::with_capacity(examples.len());
        for (n, example) in examples.iter().enumerate() {
            fit.direction = direction(examples, Some(n));
            scored.push((example.broken, fit.score(example.said, &example.vector)));
        }
        let halfway = (mean_score(&scored, true) + mean_score(&scored, false)) / 2.0;
        Self { direction: direction(examples, None), threshold: threshold(&scored, halfway), ..fit }
    }

    /// Whether the model is asked about the rule.
    pub(super) fn asks(&self) -> bool {
        self.said != 0.0
    }

    /// Whether it needs a message's vector.
    pub(super) fn needs_vector(&self) -> bool {
        !self.direction.is_empty()
    }

    /// The log-odds that a message breaks the rule, of what the model says, if it was asked, and of its vector.
    pub(super) fn log_odds(&self, said: f64, vector: Option<&[f32]>) -> f64 {
        match vector {
            Some(vector) if self.needs_vector() => self.score(said, vector) - self.threshold,
            _ => said,
        }
    }

    fn score(&self, said: f64, vector: &[f32]) -> f64 {
        let along: f32 = self.direction.iter().zip(vector).map(|(a, b)| a * b).sum();
        SCALE * f64::from(along) + self.said * said
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.direction.len() * size_of::<f32>()
    }
}

/// From the mean of what is allowed to the mean of what is not, without example number `without`.
fn direction(examples: &[Example], without: Option<usize>) -> Vec<f32> {
    let kept = examples.iter().enumerate().filter(|(n, _)| Some(*n) != without);
    let (broken, kept): (Vec<&Example>, Vec<&Example>) =
        kept.map(|(_, example)| example).partition(|example| example.broken);
    mean(&broken).iter().zip(mean(&kept)).map(|(a, b)| a - b).collect()
}

fn mean(examples: &[&Example]) -> Vec<f32> {
    let mut sum: Vec<f32> = examples.first().map(|first| first.vector.clone()).unwrap_or_default();
    for Example { vector, .. } in examples.iter().skip(1) {
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
    }
    sum.iter_mut().for_each(|sum| *sum /= examples.len().max(1) as f32);
    sum
}

fn mean_score(scored: &[(bool, f64)], broken: bool) -> f64 {
    let scores: Vec<f64> =
        scored.iter().filter(|(side, _)| *side == broken).map(|(_, score)| *score).collect();
    scores.iter().sum::<f64>() / f64::max(scores.len() as f64, 1.0)
}

/// The threshold of most likelihood, held near `start`.
fn threshold(scored: &[(bool, f64)], start: f64) -> f64 {
    let mut threshold = start;
    for _ in 0..STEPS {
        let mut slope = HALFWAY * (threshold - start);
        let mut curve = HALFWAY;
        for (broken, score) in scored {
            let p = sigmoid(score - threshold);
            slope -= p - f64::from(u8::from(*broken));
            curve += p * (1.0 - p);
        }
        threshold -= slope / curve;
    }
    threshold
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(broken: bool, said: f64, vector: [f32; 2]) -> Example {
        Example { broken, said, vector: vector.to_vec() }
    }

    fn fit() -> RuleFit {
        let allowed = [[0.0, 1.0], [0.1, 0.99], [0.2, 0.98]].map(|vector| example(false, -1.0, vector));
        let not_allowed = [[1.0, 0.0], [0.99, 0.1], [0.98, 0.2]].map(|vector| example(true, 1.0, vector));
        RuleFit::of(&[not_allowed, allowed].concat(), false)
    }

    #[test]
    fn examples_decide_and_what_the_model_says_counts_too() {
        let fit = fit();
        let broken = fit.log_odds(0.0, Some(&[0.99, 0.1]));
        let kept = fit.log_odds(0.0, Some(&[0.1, 0.99]));
        assert!(broken > 3.0 && kept < -3.0, "{broken} {kept}");
        let between = [0.7, 0.7];
        assert!(fit.log_odds(2.0, Some(&between)) > fit.log_odds(-2.0, Some(&between)));
    }

    #[test]
    fn many_examples_decide_alone() {
        let examples = [example(false, 9.0, [0.0, 1.0]), example(true, -9.0, [1.0, 0.0])];
        let fit = RuleFit::of(&examples.map(|one| vec![one; 10]).concat(), true);
        assert!(!fit.asks() && fit.log_odds(-9.0, Some(&[1.0, 0.0])) > 3.0);
        assert_eq!(fit.log_odds(5.0, Some(&[0.0, 1.0])), fit.log_odds(-5.0, Some(&[0.0, 1.0])));
    }

    #[test]
    fn a_message_as_near_to_one_side_as_to_the_other_is_at_the_threshold() {
        let odds = fit().log_odds(0.0, Some(&[0.705, 0.705]));
        assert!(odds.abs() < 1.0, "{odds}");
    }

    #[test]
    fn without_examples_or_vectors_the_model_decides() {
        assert_eq!(RuleFit::default().log_odds(1.5, Some(&[1.0])), 1.5);
        let silent = [true, true, true, false, false, false].map(|broken| example(broken, 0.5, [0.0, 0.0]));
        let silent = silent.map(|example| Example { vector: Vec::new(), ..example });
        assert_eq!(RuleFit::of(&silent, false).log_odds(1.5, None), 1.5);
    }
}
