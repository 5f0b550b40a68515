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
        let normalised = |logits: &Vec<f64>| {
            let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logits.iter().map(|logit| ((logit - largest) / temperature).exp()).sum();
            logits.iter().map(|logit| (logit - largest) / temperature - sum.ln()).collect()
        };
        Self { answers: logits.iter().map(normalised).collect() }
    }

    /// Each row's cross entropy, in nats.
    pub(super) fn losses(&self, labels: &[usize]) -> Vec<f64> {
        self.answers.iter().zip(labels).map(|(answer, label)| -answer[*label]).collect()
    }

    pub(super) fn candidate(&self, name: &str, labels: &[usize]) -> Candidate {
        let rows = labels.len().max(1) as f64;
        let options = self.answers.first().map_or(0, Vec::len);
        let mut of_class = vec![(0.0, 0.0); options];
        let mut bins = [(0.0, 0.0); BINS];
        let mut right_in_all = 0.0;
        for (answer, label) in self.answers.iter().zip(labels) {
            let top = top(answer);
            let right = f64::from(u8::from(top == *label));
            let confidence = answer[top].exp();
            right_in_all += right;
            of_class[*label].0 += right;
            of_class[*label].1 += 1.0;
            let bin = &mut bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
            bin.0 += right;
            bin.1 += confidence;
        }
        let present: Vec<f64> =
            of_class.iter().filter(|(_, all)| *all > 0.0).map(|(right, all)| right / all).collect();
        Candidate {
            name: name.to_owned(),
            accuracy: right_in_all / rows,
            balanced_accuracy: present.iter().sum::<f64>() / present.len().max(1) as f64,
            log_loss: self.losses(labels).iter().sum::<f64>() / rows,
            ece: bins.iter().map(|(right, confidence)| (right - confidence).abs()).sum::<f64>() / rows,
        }
    }
}

/// By how much the second losses are lower than the first, on average, and the standard error of that.
pub(super) fn gain(before: &[f64], after: &[f64]) -> (f64, f64) {
    let rows = before.len().max(2) as f64;
    let gains: Vec<f64> = before.iter().zip(after).map(|(before, after)| before - after).collect();
    let mean = gains.iter().sum::<f64>() / rows;
    let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (rows - 1.0);
    (mean, (variance / rows).sqrt())
}

fn top(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_field() {
        let held_out = HeldOut::of(&[vec![9f64.ln(), 0.0], vec![9f64.ln(), 0.0], vec![0.0, 9f64.ln()]], 1.0);
        let scored = held_out.candidate("x", &[0, 1, 1]);
        assert!((scored.accuracy - 2.0 / 3.0).abs() < 1e-9 && (scored.balanced_accuracy - 0.75).abs() < 1e-9);
        assert!((scored.ece - (0.9 - 2.0 / 3.0)).abs() < 1e-9, "{scored:?}");
        assert!((scored.log_loss + (2.0 * 0.9f64.ln() + 0.1f64.ln()) / 3.0).abs() < 1e-9, "{scored:?}");
        let (mean, error) = gain(&[1.0, 2.0, 3.0], &[0.0, 0.0, 0.0]);
        assert!((mean - 2.0).abs() < 1e-9 && (error - (1.0f64 / 3.0).sqrt()).abs() < 1e-9);
    }
}
