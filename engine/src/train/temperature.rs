//! Temperature scaling: fits one factor that calibrates a head's probabilities.

/// The largest factor, and the inverse of the smallest.
const WIDEST: f64 = 4.0;
/// The standard deviation of the prior of the factor's logarithm.
const SPREAD: f64 = 0.5;
/// Iterations of golden-section search.
const STEPS: usize = 40;

/// A question's logits, divided by its temperature, and its target probabilities.
pub(crate) struct ScoredQuestion {
    pub(crate) logits: Vec<f64>,
    pub(crate) target: Vec<f32>,
}

/// The mean cross entropy, in nats; 0 without questions.
pub(super) fn loss(scored: &[ScoredQuestion], temperature: f64) -> f64 {
    let sum: f64 = scored.iter().map(|question| question.loss(temperature)).sum();
    sum / scored.len().max(1) as f64
}

/// Fits the factor for all temperatures: the maximum a posteriori estimate with a log-normal prior around 1. From a
/// quarter to four.
pub(crate) fn refit(scored: &[ScoredQuestion]) -> f64 {
    // Golden-section search: the cost is unimodal in the logarithm.
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let mut low = -WIDEST.ln();
    let mut high = WIDEST.ln();
    for _ in 0..STEPS {
        let left = high - ratio * (high - low);
        let right = low + ratio * (high - low);
        if cost(scored, left) <= cost(scored, right) { high = right } else { low = left }
    }
    ((low + high) / 2.0).exp()
}

/// The negative log-posterior of a factor, up to a constant. `log` is the factor's logarithm.
fn cost(scored: &[ScoredQuestion], log: f64) -> f64 {
    scored.len() as f64 * loss(scored, log.exp()) + (log / SPREAD).powi(2) / 2.0
}

impl ScoredQuestion {
    fn loss(&self, temperature: f64) -> f64 {
        let largest = self.logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shifted = self.logits.iter().map(|logit| (logit - largest) / temperature);
        let sum: f64 = shifted.clone().map(f64::exp).sum();
        shifted.zip(&self.target).map(|(logit, &target)| f64::from(target) * (sum.ln() - logit)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Questions with two options of the logits `logit` and 0; the first option is right in `right` of every 10.
    fn scored(logit: f64, right: usize, times: usize) -> Vec<ScoredQuestion> {
        (0..10 * times)
            .map(|i| {
                let yes = f32::from(i % 10 < right);
                ScoredQuestion { logits: vec![logit, 0.0], target: vec![yes, 1.0 - yes] }
            })
            .collect()
    }

    #[test]
    fn who_is_too_sure_is_cooled_down_to_how_often_they_are_right() {
        // A probability of 8 in 10 is a logit of ln 4.
        let factor = refit(&scored(4.0, 8, 200));
        assert!((4.0 / factor - 4f64.ln()).abs() < 0.01, "{factor}");
        let factor = refit(&scored(0.7, 8, 200));
        assert!((0.7 / factor - 4f64.ln()).abs() < 0.01, "{factor}");
        let scored = scored(4.0, 8, 200);
        assert!(loss(&scored, refit(&scored)) < loss(&scored, 1.0));
    }

    #[test]
    fn few_examples_move_it_little_and_none_not_at_all() {
        assert!((refit(&[]) - 1.0).abs() < 1e-6);
        let one = refit(&scored(1.0, 10, 1)[..1]);
        assert!((0.85..1.0).contains(&one), "{one}");
        assert!(refit(&scored(9.0, 0, 50)) < WIDEST + 1e-6);
    }
}
