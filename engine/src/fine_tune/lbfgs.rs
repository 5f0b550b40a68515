//! Minimises a smooth function by L-BFGS with backtracking (Nocedal and Wright, algorithm 7.5).

use crate::train::TrainError;

/// The most iterations.
const MOST_ITERATIONS: usize = 80;
/// The number of past steps that are remembered.
const MEMORY: usize = 8;
/// The relative gain below which the minimisation ends.
const LEAST_GAIN: f64 = 1e-6;
/// The step size below which the line search gives up.
const LEAST_SIZE: f64 = 1e-6;

/// The value of a function and its gradient.
pub(super) struct Evaluation {
    pub(super) loss: f64,
    pub(super) gradient: Vec<f64>,
}

/// A step, and how it changed the gradient.
struct PastStep {
    moved: Vec<f64>,
    bent: Vec<f64>,
}

/// Minimises `function` from `start` on. `goes_on` is called in every iteration.
///
/// # Errors
/// Cancelled, or a loss that is not finite.
pub(super) fn minimise(
    function: impl Fn(&[f64]) -> Evaluation,
    start: Vec<f64>,
    goes_on: &dyn Fn() -> bool,
) -> Result<Vec<f64>, TrainError> {
    let mut at = start;
    let mut now = function(&at);
    let mut past: Vec<PastStep> = Vec::new();
    for _ in 0..MOST_ITERATIONS {
        if !goes_on() {
            return Err(TrainError::Cancelled);
        }
        if !now.loss.is_finite() {
            return Err(TrainError::Unfit("the loss is no longer finite".into()));
        }
        let mut step = downhill(&now.gradient, &past);
        if past.is_empty() {
            let length = 1.0 / inner(&now.gradient, &now.gradient).sqrt().max(1.0);
            step.iter_mut().for_each(|value| *value *= length);
        }
        let Some((next, after)) = search_line(&function, &at, &now, &step) else { break };
        let moved: Vec<f64> = next.iter().zip(&at).map(|(next, at)| next - at).collect();
        let bent: Vec<f64> = after.gradient.iter().zip(&now.gradient).map(|(next, now)| next - now).collect();
        if inner(&moved, &bent) > 1e-12 {
            past.push(PastStep { moved, bent });
            if past.len() > MEMORY {
                past.remove(0);
            }
        }
        let gain = now.loss - after.loss;
        at = next;
        now = after;
        if gain < LEAST_GAIN * now.loss.abs().max(1.0) {
            break;
        }
    }
    Ok(at)
}

/// Halves a step until the loss is low enough; `None` if it never is.
fn search_line(
    function: impl Fn(&[f64]) -> Evaluation,
    at: &[f64],
    now: &Evaluation,
    step: &[f64],
) -> Option<(Vec<f64>, Evaluation)> {
    let slope = inner(step, &now.gradient);
    let mut size = 1.0;
    loop {
        let next: Vec<f64> = at.iter().zip(step).map(|(at, step)| at + size * step).collect();
        let after = function(&next);
        if after.loss <= now.loss + 1e-4 * size * slope {
            return Some((next, after));
        }
        size /= 2.0;
        if size < LEAST_SIZE {
            return None;
        }
    }
}

/// The direction of a quasi-Newton step.
fn downhill(gradient: &[f64], past: &[PastStep]) -> Vec<f64> {
    let mut step: Vec<f64> = gradient.iter().map(|value| -value).collect();
    let mut shares = Vec::with_capacity(past.len());
    for PastStep { moved, bent } in past.iter().rev() {
        let share = inner(moved, &step) / inner(moved, bent);
        step.iter_mut().zip(bent).for_each(|(step, bent)| *step -= share * bent);
        shares.push(share);
    }
    if let Some(PastStep { moved, bent }) = past.last() {
        let size = inner(moved, bent) / inner(bent, bent);
        step.iter_mut().for_each(|step| *step *= size);
    }
    for (PastStep { moved, bent }, share) in past.iter().zip(shares.into_iter().rev()) {
        let other = inner(bent, &step) / inner(moved, bent);
        step.iter_mut().zip(moved).for_each(|(step, moved)| *step += (share - other) * moved);
    }
    step
}

/// The inner product of two vectors.
pub(super) fn inner(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
