//! Multinomial logistic regression whose prior is another model's answer, fitted by L-BFGS.
//!
//! `logits = sum(share * prior) + bias + codes * (weight * features)`. The penalties pull the shares to 1 for the zero-shot
//! answer and to 0 for others, and all else to 0, so that with few rows the result is the zero-shot answer.

use super::dataset::Row;
use crate::train::TrainError;

/// Penalties of a share's distance from its start, and of a bias, each squared and halved, against a loss that is summed
/// over rows.
const SHARE_PENALTY: f64 = 4.0;
const BIAS_PENALTY: f64 = 0.3;
/// The most iterations, the steps of memory, and the relative gain under which it ends.
const MOST_ITERATIONS: usize = 80;
const MEMORY: usize = 8;
const LEAST_GAIN: f64 = 1e-6;
/// The weight of a rare class, and of a frequent one, at most and at least.
const CLASS_WEIGHTS: (f64, f64) = (0.3, 4.0);

/// The form of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    /// Whether the trained last layer's answer is a prior too.
    pub(super) tuned: bool,
    /// The ridge penalty of the weights; none without features.
    pub(super) ridge: Option<f64>,
    /// One direction for all levels, in their order, in place of one for each option.
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
    pub(super) fn of(rows: &[Row]) -> Self {
        let width = rows.first().map_or(0, |row| row.features.len());
        let count = rows.len().max(1) as f64;
        let mut sums = vec![(0.0f64, 0.0f64); width];
        for row in rows {
            for ((sum, squares), value) in sums.iter_mut().zip(&row.features) {
                *sum += f64::from(*value);
                *squares += f64::from(*value).powi(2);
            }
        }
        let root = (width.max(1) as f64).sqrt();
        let mean: Vec<f32> = sums.iter().map(|(sum, _)| (sum / count) as f32).collect();
        let factor = sums.iter().map(|(sum, squares)| {
            let spread = (squares / count - (sum / count).powi(2)).max(0.0).sqrt();
            (1.0 / ((spread + 1e-3) * root)) as f32
        });
        Self { factor: factor.collect(), mean }
    }

    /// Standardised rows, one after the other.
    pub(super) fn apply(&self, rows: &[Row]) -> Vec<f32> {
        let scaled = rows.iter().flat_map(|row| {
            row.features
                .iter()
                .zip(&self.mean)
                .zip(&self.factor)
                .map(|((x, mean), factor)| (x - mean) * factor)
        });
        scaled.collect()
    }
}

/// Rows to fit on: indexes into all rows, with the standardised features of all.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub(super) rows: &'a [Row],
    /// `[rows, width]`.
    pub(super) x: &'a [f32],
    pub(super) chosen: &'a [usize],
    pub(super) options: usize,
    /// Each option's place on the scale of an ordinal question, standardised.
    pub(super) codes: &'a [f64],
}

/// Variables: zero-shot's share, the last layer's, biases, then directions of `width` each.
struct Model<'a> {
    problem: &'a Problem<'a>,
    form: Form,
    width: usize,
    directions: usize,
    class_weights: Vec<f64>,
}

/// Fits a form, from `start` if there is one of the same form but for the penalty. `goes_on` is asked in every iteration.
///
/// # Errors
/// Cancelled, or a loss that is not finite.
pub(super) fn fit(
    problem: &Problem<'_>,
    form: Form,
    start: Option<Vec<f64>>,
    goes_on: &dyn Fn() -> bool,
) -> Result<Vec<f64>, TrainError> {
    let model = Model::new(problem, form);
    let start = start.filter(|start| start.len() == model.len()).unwrap_or_else(|| model.start());
    minimise(&model, start, goes_on)
}

/// The model of fitted variables, in the features' own units and without the class weights' effect on the prior.
pub(super) fn unscaled(problem: &Problem<'_>, form: Form, variables: &[f64], scale: &Scale) -> Fitted {
    let model = Model::new(problem, form);
    let mut weight = Vec::new();
    let mut bias = Vec::with_capacity(problem.options);
    for option in 0..problem.options {
        let mut own = variables[2 + option] - model.class_weights[option].ln();
        if model.directions > 0 {
            let (code, direction) = model.direction(option);
            let start = 2 + problem.options + direction * model.width;
            for ((value, factor), mean) in
                variables[start..start + model.width].iter().zip(&scale.factor).zip(&scale.mean)
            {
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
    pub(super) fn logits(&self, row: &Row) -> Vec<f64> {
        let width = row.features.len();
        let logit = |option: usize| {
            let weights = self.weight.get(option * width..(option + 1) * width).unwrap_or(&[]);
            let tuned = row.tuned.as_ref().map_or(0.0, |tuned| tuned[option]);
            let linear = f64::from(dot(weights, &row.features[..weights.len()]));
            self.zero_shot * row.zero_shot[option] + self.tuned * tuned + self.bias[option] + linear
        };
        (0..self.bias.len()).map(logit).collect()
    }
}

impl<'a> Model<'a> {
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
        let weight = |count: &f64| match *count > 0.0 {
            true => (fair / count).sqrt().clamp(CLASS_WEIGHTS.0, CLASS_WEIGHTS.1),
            false => 1.0,
        };
        let class_weights = counts.iter().map(weight).collect();
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

    /// The code and the direction of an option.
    fn direction(&self, option: usize) -> (f64, usize) {
        if self.form.ordinal { (self.problem.codes[option], 0) } else { (1.0, option) }
    }

    /// The loss and its gradient.
    fn loss(&self, variables: &[f64]) -> (f64, Vec<f64>) {
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
                    let (code, direction) = self.direction(option);
                    *logit += code * scores[direction];
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
                    let (code, direction) = self.direction(option);
                    scores[direction] += code * slope;
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
            let (penalty, centre) = match n {
                0 => (SHARE_PENALTY, 1.0),
                1 => (SHARE_PENALTY, 0.0),
                n if n < 2 + options => (BIAS_PENALTY, 0.0),
                _ => (self.form.ridge.unwrap_or(0.0), 0.0),
            };
            loss += penalty * (value - centre).powi(2) / 2.0;
            *slope += penalty * (value - centre);
        }
        (loss, gradient)
    }
}

/// L-BFGS with backtracking (Nocedal and Wright, algorithm 7.5).
fn minimise(model: &Model<'_>, start: Vec<f64>, goes_on: &dyn Fn() -> bool) -> Result<Vec<f64>, TrainError> {
    let mut at = start;
    let (mut loss, mut gradient) = model.loss(&at);
    let mut past: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for _ in 0..MOST_ITERATIONS {
        if !goes_on() {
            return Err(TrainError::Cancelled);
        }
        if !loss.is_finite() {
            return Err(TrainError::Unfit("the loss is no longer a number".into()));
        }
        let mut step = downhill(&gradient, &past);
        let slope = inner(&step, &gradient);
        if past.is_empty() {
            let length = 1.0 / inner(&gradient, &gradient).sqrt().max(1.0);
            step.iter_mut().for_each(|value| *value *= length);
        }
        let slope = if past.is_empty() { inner(&step, &gradient) } else { slope };
        let mut size = 1.0;
        let next = loop {
            let next: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + size * step).collect();
            let (next_loss, next_gradient) = model.loss(&next);
            if next_loss <= loss + 1e-4 * size * slope {
                break Some((next, next_loss, next_gradient));
            }
            size /= 2.0;
            if size < 1e-6 {
                break None;
            }
        };
        let Some((next, next_loss, next_gradient)) = next else { break };
        let moved: Vec<f64> = next.iter().zip(&at).map(|(next, at)| next - at).collect();
        let bent: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(next, now)| next - now).collect();
        if inner(&moved, &bent) > 1e-12 {
            past.push((moved, bent));
            if past.len() > MEMORY {
                past.remove(0);
            }
        }
        let gain = loss - next_loss;
        (at, loss, gradient) = (next, next_loss, next_gradient);
        if gain < LEAST_GAIN * loss.abs().max(1.0) {
            break;
        }
    }
    Ok(at)
}

/// The direction of a quasi-Newton step, from the past steps and changes of the gradient.
fn downhill(gradient: &[f64], past: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let mut step: Vec<f64> = gradient.iter().map(|value| -value).collect();
    let mut shares = Vec::with_capacity(past.len());
    for (moved, bent) in past.iter().rev() {
        let share = inner(moved, &step) / inner(moved, bent);
        step.iter_mut().zip(bent).for_each(|(step, bent)| *step -= share * bent);
        shares.push(share);
    }
    if let Some((moved, bent)) = past.last() {
        let size = inner(moved, bent) / inner(bent, bent);
        step.iter_mut().for_each(|step| *step *= size);
    }
    for ((moved, bent), share) in past.iter().zip(shares.into_iter().rev()) {
        let other = inner(bent, &step) / inner(moved, bent);
        step.iter_mut().zip(moved).for_each(|(step, moved)| *step += (share - other) * moved);
    }
    step
}

fn inner(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
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
    use crate::fine_tune::dataset::Row;

    const FORMS: [Form; 4] = [
        Form { tuned: false, ridge: None, ordinal: false },
        Form { tuned: false, ridge: Some(0.1), ordinal: false },
        Form { tuned: true, ridge: Some(0.1), ordinal: false },
        Form { tuned: true, ridge: Some(0.1), ordinal: true },
    ];

    /// Rows of three classes, in which the feature `label` is larger.
    fn rows(count: usize, seed: u64) -> Vec<Row> {
        let mut random = StdRng::seed_from_u64(seed);
        let row = |n: usize| {
            let label = [0, 1, 1, 2][n % 4];
            let mut features: Vec<f32> = (0..20).map(|_| random.random_range(-1.0..1.0)).collect();
            features[label] += 1.5;
            let mut guess = || (0..3).map(|_| random.random_range(-2.0..0.0)).collect::<Vec<f64>>();
            let zero_shot = guess();
            let tuned = Some(guess());
            Row { content_hash: n as u64, label, zero_shot, tuned, features, example: None }
        };
        (0..count).map(row).collect()
    }

    fn problem<'a>(rows: &'a [Row], x: &'a [f32], chosen: &'a [usize]) -> Problem<'a> {
        Problem { rows, x, chosen, options: 3, codes: &[-1.2, 0.0, 1.2] }
    }

    #[test]
    fn each_gradient_is_the_slope_of_the_loss() {
        let rows = rows(30, 1);
        let chosen = (0..25).collect::<Vec<_>>();
        let x = Scale::of(&rows).apply(&rows);
        let problem = problem(&rows, &x, &chosen);
        for form in FORMS {
            let model = Model::new(&problem, form);
            let mut random = StdRng::seed_from_u64(2);
            let at: Vec<f64> = (0..model.len()).map(|_| random.random_range(-0.5..0.5)).collect();
            let gradient = model.loss(&at).1;
            for n in 0..at.len() {
                let moved = |by: f64| {
                    let mut at = at.clone();
                    at[n] += by;
                    model.loss(&at).0
                };
                let slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
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
            let model = Model::new(&problem, form);
            let gradient = model.loss(&found).1;
            assert!(inner(&gradient, &gradient).sqrt() < 0.2, "{form:?}: {gradient:?}");
            let fitted = unscaled(&problem, form, &found, &scale);
            let right = |row: &&Row| {
                let logits = fitted.logits(row);
                (0..3).all(|option| logits[option] <= logits[row.label])
            };
            let right = rows.iter().filter(right).count();
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
