//! Scores of held-out answers.

use ports::training::Candidate;

/// Bins of the calibration error.
const BINS: usize = 10;

/// The answers of a candidate to rows that it was not fitted on, in the order of the rows.
pub(super) struct HeldOut {
    /// The logarithm of each option's probability.
    pub(super) answers: Vec<Vec<f64>>,
}

impl HeldOut {
    /// The answers for logits that are divided by a temperature.
    pub(super) fn of(logits: &[Vec<f64>], temperature: f64) -> Self {
        Self { answers: logits.iter().map(|logits| log_probabilities(logits, temperature)).collect() }
    }

    /// Each row's cross entropy, in nats.
    pub(super) fn losses(&self, labels: &[usize]) -> Vec<f64> {
        self.answers.iter().zip(labels).map(|(answer, label)| -answer[*label]).collect()
    }

    pub(super) fn candidate(&self, name: &str, labels: &[usize]) -> Candidate {
        let rows = labels.len().max(1) as f64;
        let options = self.answers.first().map_or(0, Vec::len);
        let mut classes = vec![ClassCounts::default(); options];
        let mut bins = [CalibrationBin::default(); BINS];
        let mut right_in_all = 0.0;
        for (answer, label) in self.answers.iter().zip(labels) {
            let top = top(answer);
            let right = f64::from(u8::from(top == *label));
            let confidence = answer[top].exp();
            right_in_all += right;
            classes[*label].right += right;
            classes[*label].all += 1.0;
            let bin = &mut bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
            bin.right += right;
            bin.confidence += confidence;
        }
        let recalls: Vec<f64> =
            classes.iter().filter(|class| class.all > 0.0).map(|class| class.right / class.all).collect();
        Candidate {
            name: name.to_owned(),
            accuracy: right_in_all / rows,
            balanced_accuracy: recalls.iter().sum::<f64>() / recalls.len().max(1) as f64,
            log_loss: self.losses(labels).iter().sum::<f64>() / rows,
            ece: bins.iter().map(|bin| (bin.right - bin.confidence).abs()).sum::<f64>() / rows,
        }
    }
}

/// Right answers and all answers about the rows of a class.
#[derive(Clone, Copy, Default)]
struct ClassCounts {
    right: f64,
    all: f64,
}

/// Right answers and the sum of the confidences of the answers in a bin.
#[derive(Clone, Copy, Default)]
struct CalibrationBin {
    right: f64,
    confidence: f64,
}

/// How much lower some losses are than others, on average.
pub(super) struct Gain {
    pub(super) mean: f64,
    pub(super) standard_error: f64,
}

impl Gain {
    pub(super) fn of(before: &[f64], after: &[f64]) -> Self {
        let rows = before.len().max(2) as f64;
        let gains: Vec<f64> = before.iter().zip(after).map(|(before, after)| before - after).collect();
        let mean = gains.iter().sum::<f64>() / rows;
        let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (rows - 1.0);
        Self { mean, standard_error: (variance / rows).sqrt() }
    }
}

fn log_probabilities(logits: &[f64], temperature: f64) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|logit| ((logit - largest) / temperature).exp()).sum();
    logits.iter().map(|logit| (logit - largest) / temperature - sum.ln()).collect()
}

/// The index of the greatest value.
pub(super) fn top(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_match_their_definitions() {
        let held_out = HeldOut::of(&[vec![9f64.ln(), 0.0], vec![9f64.ln(), 0.0], vec![0.0, 9f64.ln()]], 1.0);
        let scored = held_out.candidate("x", &[0, 1, 1]);
        assert!((scored.accuracy - 2.0 / 3.0).abs() < 1e-9 && (scored.balanced_accuracy - 0.75).abs() < 1e-9);
        assert!((scored.ece - (0.9 - 2.0 / 3.0)).abs() < 1e-9, "{scored:?}");
        assert!((scored.log_loss + (2.0 * 0.9f64.ln() + 0.1f64.ln()) / 3.0).abs() < 1e-9, "{scored:?}");
        let gain = Gain::of(&[1.0, 2.0, 3.0], &[0.0, 0.0, 0.0]);
        assert!((gain.mean - 2.0).abs() < 1e-9);
        assert!((gain.standard_error - (1.0f64 / 3.0).sqrt()).abs() < 1e-9);
    }
}
