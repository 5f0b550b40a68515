//! Multinomial logistic regression whose prior is another model's answer.
//!
//! `logits = sum(share * prior) + bias + codes * (weight * features)`. The penalties pull the shares to 1 for the
//! zero-shot answer and to 0 for others, and all else to 0, so that with few rows the result is close to the zero-shot
//! answer.

use super::{
    dataset::LabelledRow,
    lbfgs::{Evaluation, minimise},
};
use crate::train::TrainError;

/// The penalty of a share's squared distance from its start, halved; the loss is summed over rows.
const SHARE_PENALTY: f64 = 4.0;
/// The same for a bias and 0.
const BIAS_PENALTY: f64 = 0.3;
/// The least and the greatest weight of a class in the loss.
const LEAST_CLASS_WEIGHT: f64 = 0.3;
const MOST_CLASS_WEIGHT: f64 = 4.0;

/// The form of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    /// Whether the trained last layer's answer is a prior too.
    pub(super) tuned: bool,
    /// The ridge penalty of the weights; `None` for a model without features.
    pub(super) ridge: Option<f64>,
    /// One direction for all levels, in their order, instead of one for each option.
    pub(super) ordinal: bool,
}

/// A fitted model, for features in their own units.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    pub(super) zero_shot: f64,
    pub(super) tuned: f64,
    /// `[options, features]`, row-major; empty without features.
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f64>,
}

/// The mean and the inverse spread of each feature. A standardised row has a length of about 1.
pub(super) struct Scale {
    mean: Vec<f32>,
    factor: Vec<f32>,
}

impl Scale {
    pub(super) fn of(rows: &[LabelledRow]) -> Self {
        let width = rows.first().map_or(0, |row| row.features.len());
        let count = rows.len().max(1) as f64;
        let mut sums = vec![0.0f64; width];
        let mut squares = vec![0.0f64; width];
        for row in rows {
            for ((sum, square), value) in sums.iter_mut().zip(&mut squares).zip(&row.features) {
                *sum += f64::from(*value);
                *square += f64::from(*value).powi(2);
            }
        }
        let root = (width.max(1) as f64).sqrt();
        let mean: Vec<f32> = sums.iter().map(|sum| (sum / count) as f32).collect();
        let factor = sums.iter().zip(&squares).map(|(sum, squares)| {
            let spread = (squares / count - (sum / count).powi(2)).max(0.0).sqrt();
            (1.0 / ((spread + 1e-3) * root)) as f32
        });
        Self { factor: factor.collect(), mean }
    }

    /// Standardised rows, one after the other.
    pub(super) fn apply(&self, rows: &[LabelledRow]) -> Vec<f32> {
        let scaled = rows.iter().flat_map(|row| {
            let features = row.features.iter().zip(&self.mean).zip(&self.factor);
            features.map(|((x, mean), factor)| (x - mean) * factor)
        });
        scaled.collect()
    }
}

/// Rows to fit on: indexes into all rows, with the standardised features of all.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub(super) rows: &'a [LabelledRow],
    /// `[rows, width]`.
    pub(super) x: &'a [f32],
    pub(super) chosen: &'a [usize],
    pub(super) options: usize,
    /// Each option's position on the scale of an ordinal question, standardised.
    pub(super) codes: &'a [f64],
}

/// The variables are zero-shot's share, the last layer's share, the biases, then directions of `width` each.
struct LogisticModel<'a> {
    problem: &'a Problem<'a>,
    form: Form,
    width: usize,
    directions: usize,
    class_weights: Vec<f64>,
}

/// Fits a form, starting from `start` if it fits the form; the penalty may differ. `goes_on` is called in every
/// iteration.
///
/// # Errors
/// Cancelled, or a loss that is not finite.
pub(super) fn fit(
    problem: &Problem<'_>,
    form: Form,
    start: Option<Vec<f64>>,
    goes_on: &dyn Fn() -> bool,
) -> Result<Vec<f64>, TrainError> {
    let model = LogisticModel::new(problem, form);
    let start = start.filter(|start| start.len() == model.len()).unwrap_or_else(|| model.start());
    minimise(|variables| model.evaluate(variables), start, goes_on)
}

/// The model of fitted variables, in the features' own units and without the class weights' effect on the prior.
pub(super) fn unscaled(problem: &Problem<'_>, form: Form, variables: &[f64], scale: &Scale) -> Fitted {
    let model = LogisticModel::new(problem, form);
    let mut weight = Vec::new();
    let mut bias = Vec::with_capacity(problem.options);
    for option in 0..problem.options {
        let mut own = variables[2 + option] - model.class_weights[option].ln();
        if model.directions > 0 {
            let Direction { code, number } = model.direction(option);
            let start = 2 + problem.options + number * model.width;
            let values = &variables[start..start + model.width];
            for ((value, factor), mean) in values.iter().zip(&scale.factor).zip(&scale.mean) {
                let raw = code * value * f64::from(*factor);
                own -= raw * f64::from(*mean);
                weight.push(raw as f32);
            }
        }
        bias.push(own);
    }
    Fitted { zero_shot: variables[0], tuned: if form.tuned { variables[1] } else { 0.0 }, weight, bias }
}

impl Fitted {
    /// The logits of a row.
    pub(super) fn logits(&self, row: &LabelledRow) -> Vec<f64> {
        (0..self.bias.len()).map(|option| self.logit(row, option)).collect()
    }

    fn logit(&self, row: &LabelledRow, option: usize) -> f64 {
        let width = row.features.len();
        let weights = self.weight.get(option * width..(option + 1) * width).unwrap_or(&[]);
        let tuned = row.tuned.as_ref().map_or(0.0, |tuned| tuned[option]);
        let linear = f64::from(dot(weights, &row.features[..weights.len()]));
        self.zero_shot * row.zero_shot[option] + self.tuned * tuned + self.bias[option] + linear
    }
}

/// The direction of an option, and the factor of that option's score along it.
struct Direction {
    code: f64,
    number: usize,
}

impl<'a> LogisticModel<'a> {
    fn new(problem: &'a Problem<'a>, form: Form) -> Self {
        let width = if form.ridge.is_some() { problem.x.len() / problem.rows.len().max(1) } else { 0 };
        let directions = match (form.ridge, form.ordinal) {
            (None, _) => 0,
            (Some(_), true) => 1,
            (Some(_), false) => problem.options,
        };
        let mut counts = vec![0.0; problem.options];
        problem.chosen.iter().for_each(|row| counts[problem.rows[*row].label] += 1.0);
        let present = counts.iter().filter(|count| **count > 0.0).count().max(1) as f64;
        let fair = problem.chosen.len() as f64 / present;
        let class_weights = counts.iter().map(|count| class_weight(*count, fair)).collect();
        Self { problem, form, width, directions, class_weights }
    }

    fn len(&self) -> usize {
        2 + self.problem.options + self.directions * self.width
    }

    fn start(&self) -> Vec<f64> {
        let mut start = vec![0.0; self.len()];
        start[0] = 1.0;
        start
    }

    fn direction(&self, option: usize) -> Direction {
        if self.form.ordinal {
            Direction { code: self.problem.codes[option], number: 0 }
        } else {
            Direction { code: 1.0, number: option }
        }
    }

    /// The loss and its gradient.
    fn evaluate(&self, variables: &[f64]) -> Evaluation {
        let options = self.problem.options;
        let weights: Vec<f32> = variables[2 + options..].iter().map(|value| *value as f32).collect();
        let mut gradient = vec![0.0; self.len()];
        let mut of_weights = vec![0.0f32; weights.len()];
        let mut loss = 0.0;
        let mut logits = vec![0.0; options];
        let mut scores = vec![0.0f64; self.directions];
        for &n in self.problem.chosen {
            let row = &self.problem.rows[n];
            let x = &self.problem.x[n * self.width..][..self.width];
            for (score, weights) in scores.iter_mut().zip(weights.chunks_exact(self.width.max(1))) {
                *score = f64::from(dot(weights, x));
            }
            let tuned = row.tuned.as_ref().filter(|_| self.form.tuned);
            for (option, logit) in logits.iter_mut().enumerate() {
                *logit = variables[0] * row.zero_shot[option] + variables[2 + option];
                *logit += tuned.map_or(0.0, |tuned| variables[1] * tuned[option]);
                if self.directions > 0 {
                    let Direction { code, number } = self.direction(option);
                    *logit += code * scores[number];
                }
            }
            let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logits.iter().map(|logit| (logit - largest).exp()).sum();
            let weight = self.class_weights[row.label];
            loss += weight * (sum.ln() + largest - logits[row.label]);
            scores.fill(0.0);
            for option in 0..options {
                let right = if option == row.label { 1.0 } else { 0.0 };
                let slope = weight * ((logits[option] - largest).exp() / sum - right);
                gradient[0] += slope * row.zero_shot[option];
                gradient[1] += tuned.map_or(0.0, |tuned| slope * tuned[option]);
                gradient[2 + option] += slope;
                if self.directions > 0 {
                    let Direction { code, number } = self.direction(option);
                    scores[number] += code * slope;
                }
            }
            for (score, of_weights) in scores.iter().zip(of_weights.chunks_exact_mut(self.width.max(1))) {
                let score = *score as f32;
                of_weights.iter_mut().zip(x).for_each(|(sum, x)| *sum += score * x);
            }
        }
        for (slope, of_weights) in gradient[2 + options..].iter_mut().zip(of_weights) {
            *slope = f64::from(of_weights);
        }
        for (n, (value, slope)) in variables.iter().zip(&mut gradient).enumerate() {
            let penalty = self.penalty(n);
            let centre = if n == 0 { 1.0 } else { 0.0 };
            loss += penalty * (value - centre).powi(2) / 2.0;
            *slope += penalty * (value - centre);
        }
        Evaluation { loss, gradient }
    }

    /// The penalty of variable number `n`.
    fn penalty(&self, n: usize) -> f64 {
        match n {
            0 | 1 => SHARE_PENALTY,
            n if n < 2 + self.problem.options => BIAS_PENALTY,
            _ => self.form.ridge.unwrap_or(0.0),
        }
    }
}

/// The weight of a class with `count` rows, where each would have `fair` rows if all had the same number.
fn class_weight(count: f64, fair: f64) -> f64 {
    if count > 0.0 { (fair / count).sqrt().clamp(LEAST_CLASS_WEIGHT, MOST_CLASS_WEIGHT) } else { 1.0 }
}

/// A dot product in sixteen sums, which the compiler keeps in vector registers.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    let ones = one.chunks_exact(16);
    let others = other.chunks_exact(16);
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (one, other) in ones.zip(others) {
        for ((sum, a), b) in sums.iter_mut().zip(one).zip(other) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::StdRng};

    use super::*;
    use crate::fine_tune::lbfgs::inner;

    const FORMS: [Form; 4] = [
        Form { tuned: false, ridge: None, ordinal: false },
        Form { tuned: false, ridge: Some(0.1), ordinal: false },
        Form { tuned: true, ridge: Some(0.1), ordinal: false },
        Form { tuned: true, ridge: Some(0.1), ordinal: true },
    ];

    /// Rows of three classes, in which the feature `label` is larger.
    fn rows(count: usize, seed: u64) -> Vec<LabelledRow> {
        let mut random = StdRng::seed_from_u64(seed);
        (0..count).map(|n| row(n, &mut random)).collect()
    }

    fn row(n: usize, random: &mut StdRng) -> LabelledRow {
        let label = [0, 1, 1, 2][n % 4];
        let mut features: Vec<f32> = (0..20).map(|_| random.random_range(-1.0..1.0)).collect();
        features[label] += 1.5;
        let zero_shot = guess(random);
        let tuned = Some(guess(random));
        LabelledRow { content_hash: n as u64, label, zero_shot, tuned, features, example: None }
    }

    fn guess(random: &mut StdRng) -> Vec<f64> {
        (0..3).map(|_| random.random_range(-2.0..0.0)).collect()
    }

    fn problem<'a>(rows: &'a [LabelledRow], x: &'a [f32], chosen: &'a [usize]) -> Problem<'a> {
        Problem { rows, x, chosen, options: 3, codes: &[-1.2, 0.0, 1.2] }
    }

    #[test]
    fn each_gradient_is_the_slope_of_the_loss() {
        let rows = rows(30, 1);
        let chosen = (0..25).collect::<Vec<_>>();
        let x = Scale::of(&rows).apply(&rows);
        let problem = problem(&rows, &x, &chosen);
        for form in FORMS {
            let model = LogisticModel::new(&problem, form);
            let mut random = StdRng::seed_from_u64(2);
            let at: Vec<f64> = (0..model.len()).map(|_| random.random_range(-0.5..0.5)).collect();
            let gradient = model.evaluate(&at).gradient;
            for n in 0..at.len() {
                let [ahead, back] = [1e-3, -1e-3].map(|by| {
                    let mut at = at.clone();
                    at[n] += by;
                    model.evaluate(&at).loss
                });
                let slope = (ahead - back) / 2e-3;
                assert!((slope - gradient[n]).abs() < 1e-3 + 1e-3 * slope.abs(), "{form:?}, {n}: {slope}");
            }
        }
    }

    #[test]
    fn a_fit_finds_the_minimum_and_serves_it_in_the_features_own_units() {
        let rows = rows(120, 3);
        let chosen = (0..120).collect::<Vec<_>>();
        let scale = Scale::of(&rows);
        let x = scale.apply(&rows);
        let problem = problem(&rows, &x, &chosen);
        for form in FORMS {
            let found = fit(&problem, form, None, &|| true).unwrap();
            let model = LogisticModel::new(&problem, form);
            let gradient = model.evaluate(&found).gradient;
            assert!(inner(&gradient, &gradient).sqrt() < 0.2, "{form:?}: {gradient:?}");
            let fitted = unscaled(&problem, form, &found, &scale);
            let right = rows.iter().filter(|row| {
                let logits = fitted.logits(row);
                (0..3).all(|option| logits[option] <= logits[row.label])
            });
            let right = right.count();
            assert!(form.ridge.is_none() || form.ordinal || right > 100, "{form:?}: {right}");
        }
    }

    #[test]
    fn with_few_rows_it_stays_near_the_prior() {
        let rows = rows(3, 4);
        let chosen = [0, 1, 2];
        let x = Scale::of(&rows).apply(&rows);
        let form = Form { tuned: true, ridge: Some(5.0), ordinal: false };
        let found = fit(&problem(&rows, &x, &chosen), form, None, &|| true).unwrap();
        assert!((found[0] - 1.0).abs() < 0.4 && found[1].abs() < 0.4, "{:?}", &found[..2]);
        let cancelled = fit(&problem(&rows, &x, &chosen), form, None, &|| false);
        assert_eq!(cancelled, Err(TrainError::Cancelled));
    }
}
