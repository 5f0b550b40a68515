//! Fits how the answers of a server's model are corrected: not at all, by a temperature, or by a temperature and a bias
//! for each value, as cross-validation tells.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::server_answers::ServerAnswer;
use crate::operations::inference::softmax;

/// Minimum answers to fit on.
pub(super) const MIN_ANSWERS: usize = 20;
/// Maximum answers to fit on; the newest count.
const MAX_ANSWERS: usize = 2_000;
/// Maximum values that have a bias each.
const MAX_BIASED: usize = 20;
const FOLDS: u64 = 5;
/// Newton steps; the loss is convex, and a few are enough.
const STEPS: usize = 30;
const INVERSE_TEMPERATURES: [f64; 2] = [0.05, 20.0];
/// The lower bound of probabilities, which are rounded.
const LEAST_PROBABILITY: f64 = 1e-9;

/// How answers are corrected, the simplest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CorrectionKind {
    /// No correction.
    None,
    Temperature,
    /// A temperature, and a bias for each value.
    Bias,
}

/// A correction that was fitted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fitted {
    pub(super) correction: CorrectionKind,
    pub(super) temperature: f64,
    /// One a value.
    pub(super) bias: Vec<f64>,
}

/// An answer in logarithms.
struct Known {
    logs: Vec<f64>,
    truth: usize,
    fold: u64,
}

/// The parameters of a correction: the logarithm of a value's probability is `inverse * log p + bias`, less a constant.
#[derive(Clone)]
struct Weights {
    inverse: f64,
    bias: Vec<f64>,
}

/// Fits the correction of a model's answers to one question. The simplest one is taken unless another is better by more
/// than a standard error of the logarithmic loss in cross-validation.
pub(super) fn fit(answers: &[&ServerAnswer]) -> Fitted {
    let newest = answers.iter().rev().take(MAX_ANSWERS);
    let known: Vec<Known> = newest.map(|answer| Known::from(*answer)).collect();
    let values = known.first().map_or(0, |known| known.logs.len());
    let all: Vec<&Known> = known.iter().collect();
    let mut best = CorrectionKind::None;
    let mut losses = cross_validated(&known, best, values);
    for correction in CorrectionKind::VARIANTS {
        if *correction == CorrectionKind::None || (*correction == CorrectionKind::Bias && values > MAX_BIASED)
        {
            continue;
        }
        let theirs = cross_validated(&known, *correction, values);
        let gains: Vec<f64> = losses.iter().zip(&theirs).map(|(before, after)| before - after).collect();
        if mean(&gains) > standard_error(&gains) {
            best = *correction;
            losses = theirs;
        }
    }
    let weights = Weights::fit(&all, best, values);
    Fitted { correction: best, temperature: 1.0 / weights.inverse, bias: weights.bias }
}

/// The loss of each answer under a correction that was fitted on the other folds.
fn cross_validated(known: &[Known], correction: CorrectionKind, values: usize) -> Vec<f64> {
    let mut losses = vec![0.0; known.len()];
    for fold in 0..FOLDS {
        let others: Vec<&Known> = known.iter().filter(|known| known.fold != fold).collect();
        let weights = Weights::fit(&others, correction, values);
        for (loss, known) in losses.iter_mut().zip(known).filter(|(_, known)| known.fold == fold) {
            *loss = -weights.probabilities(known)[known.truth].max(LEAST_PROBABILITY).ln();
        }
    }
    losses
}

impl From<&ServerAnswer> for Known {
    fn from(answer: &ServerAnswer) -> Self {
        let logs = answer.probabilities.iter().map(|p| p.max(LEAST_PROBABILITY).ln()).collect();
        Self { logs, truth: answer.truth, fold: answer.hash % FOLDS }
    }
}

impl Weights {
    /// The weights of the least loss: mean cross entropy with a normal prior of variance 1 on each bias and on the
    /// inverse temperature, by Newton's method.
    fn fit(known: &[&Known], correction: CorrectionKind, values: usize) -> Self {
        let mut weights = Self { inverse: 1.0, bias: vec![0.0; values] };
        let free = match correction {
            CorrectionKind::None => return weights,
            CorrectionKind::Temperature => 1,
            CorrectionKind::Bias => 1 + values,
        };
        let mut loss = weights.loss(known);
        for _ in 0..STEPS {
            let Some(step) = weights.step(known, free) else { break };
            let Some((next, lower)) = weights.along(&step, known, loss) else { break };
            let gained = loss - lower;
            weights = next;
            loss = lower;
            if gained < 1e-9 * known.len() as f64 {
                break;
            }
        }
        weights
    }

    /// The largest of the shortened steps that lowers the loss, and that loss.
    fn along(&self, step: &[f64], known: &[&Known], loss: f64) -> Option<(Self, f64)> {
        let mut share = 1.0;
        for _ in 0..20 {
            let mut next = self.clone();
            let [least, most] = INVERSE_TEMPERATURES;
            next.inverse = (next.inverse - share * step[0]).clamp(least, most);
            for (bias, step) in next.bias.iter_mut().zip(&step[1..]) {
                *bias -= share * step;
            }
            let lower = next.loss(known);
            if lower < loss {
                return Some((next, lower));
            }
            share /= 2.0;
        }
        None
    }

    /// The Newton step of the first `free` weights: the inverse temperature, then the biases.
    fn step(&self, known: &[&Known], free: usize) -> Option<Vec<f64>> {
        let mut gradient = vec![0.0; free];
        let mut hessian = vec![vec![0.0; free]; free];
        gradient[0] = self.inverse - 1.0;
        hessian[0][0] = 1.0;
        for at in 1..free {
            gradient[at] = self.bias[at - 1];
            hessian[at][at] = 1.0;
        }
        for known in known {
            let p = self.probabilities(known);
            let mean: f64 = p.iter().zip(&known.logs).map(|(p, log)| p * log).sum();
            let square: f64 = p.iter().zip(&known.logs).map(|(p, log)| p * log * log).sum();
            gradient[0] += mean - known.logs[known.truth];
            hessian[0][0] += square - mean * mean;
            for one in 1..free {
                let of_one = p[one - 1];
                gradient[one] += of_one - f64::from(u8::from(one - 1 == known.truth));
                let mixed = of_one * (known.logs[one - 1] - mean);
                hessian[0][one] += mixed;
                hessian[one][0] += mixed;
                hessian[one][one] += of_one;
                for other in 1..free {
                    hessian[one][other] -= of_one * p[other - 1];
                }
            }
        }
        solve(hessian, gradient)
    }

    fn loss(&self, known: &[&Known]) -> f64 {
        let losses = known.iter().map(|known| -self.probabilities(known)[known.truth].max(1e-300).ln());
        let prior = (self.inverse - 1.0).powi(2) + self.bias.iter().map(|bias| bias * bias).sum::<f64>();
        losses.sum::<f64>() + prior / 2.0
    }

    fn probabilities(&self, known: &Known) -> Vec<f64> {
        let logs = known.logs.iter().zip(&self.bias).map(|(log, bias)| self.inverse * log + bias);
        let logs: Vec<f64> = logs.collect();
        let mut p = vec![0.0; logs.len()];
        softmax(&logs, &mut p);
        p
    }
}

/// Solves `matrix x = vector` for a symmetric positive matrix, by elimination; none if it is singular.
fn solve(mut matrix: Vec<Vec<f64>>, mut vector: Vec<f64>) -> Option<Vec<f64>> {
    let size = vector.len();
    for pivot in 0..size {
        if matrix[pivot][pivot].abs() < 1e-12 {
            return None;
        }
        let row = matrix[pivot].clone();
        for below in pivot + 1..size {
            let factor = matrix[below][pivot] / row[pivot];
            for (one, of_pivot) in matrix[below].iter_mut().zip(&row).skip(pivot) {
                *one -= factor * of_pivot;
            }
            vector[below] -= factor * vector[pivot];
        }
    }
    for at in (0..size).rev() {
        let known: f64 = (at + 1..size).map(|other| matrix[at][other] * vector[other]).sum();
        vector[at] = (vector[at] - known) / matrix[at][at];
    }
    Some(vector)
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

fn standard_error(numbers: &[f64]) -> f64 {
    let mean = mean(numbers);
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    let count = numbers.len() as f64;
    (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of three values by a model that gives `p` to its choice and shares the rest between the others. Each
    /// pair is a choice and the truth.
    fn answers(p: f64, pairs: &[(usize, usize)]) -> Vec<ServerAnswer> {
        let answers = pairs.iter().enumerate().map(|(at, (choice, truth))| {
            let mut probabilities = vec![(1.0 - p) / 2.0; 3];
            probabilities[*choice] = p;
            let server_model = "near/x".to_owned();
            let hash = at as u64 / 3;
            ServerAnswer { seq: at as i64, hash, server_model, question: 0, probabilities, truth: *truth }
        });
        answers.collect()
    }

    fn fitted(p: f64, pairs: &[(usize, usize)]) -> Fitted {
        let answers = answers(p, pairs);
        fit(&answers.iter().collect::<Vec<_>>())
    }

    #[test]
    fn too_much_certainty_is_flattened() {
        // Right in two of three cases, and as sure as can be.
        let pairs: Vec<(usize, usize)> =
            (0..120).map(|at| (at % 3, if at % 9 < 6 { at % 3 } else { (at + 1) % 3 })).collect();
        let found = fitted(0.98, &pairs);
        assert_eq!(found.correction, CorrectionKind::Temperature, "{found:?}");
        assert!(found.temperature > 2.0, "{found:?}");
    }

    #[test]
    fn a_value_that_is_named_too_often_gets_a_bias() {
        // It calls every second of the third kind the first.
        let pairs: Vec<(usize, usize)> =
            (0..150).map(|at| (if at % 6 == 5 { 0 } else { at % 3 }, at % 3)).collect();
        let found = fitted(0.6, &pairs);
        assert_eq!(found.correction, CorrectionKind::Bias, "{found:?}");
        assert!(found.bias[2] > found.bias[0], "{found:?}");
    }

    #[test]
    fn honest_answers_stay() {
        let pairs: Vec<(usize, usize)> =
            (0..100).map(|at| (at % 3, if at % 10 < 8 { at % 3 } else { (at + 1) % 3 })).collect();
        let found = fitted(0.8, &pairs);
        assert_eq!(
            (found.correction, found.temperature, found.bias),
            (CorrectionKind::None, 1.0, vec![0.0; 3])
        );
    }
}
