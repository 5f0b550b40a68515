//! Joint reading, the wire's mode `hybrid`: all questions are first answered on their own; the most confident answers
//! are settled, and the other questions are scored again with these answers appended. A settled answer never changes.

use ports::{Flow, decision::DecisionFault};

use super::{model::DecisionModel, question::TokenizedRequest, render::SettledAnswer};
use crate::encoder::QueueOrder;

/// The least confidence of a settled answer, from 0 for chance to 1 for certainty.
const LEAST_CONFIDENCE: f64 = 0.5;
/// The most answers that are appended to a question, and the length in characters below which a question's answer is
/// appended to others; the same as in training.
const MAX_GIVEN: usize = 3;
const MAX_GIVEN_CHARS: usize = 160;

impl DecisionModel {
    /// Runs the passes after the first, whose result is in `probabilities`, until all `steps` are done or no further
    /// answer is confident enough. Returns the number of tokens in these passes.
    pub(super) async fn refine_jointly(
        &self,
        flow: Flow,
        request: &mut TokenizedRequest,
        steps: u8,
        probabilities: &mut [Vec<f64>],
    ) -> Result<u64, DecisionFault> {
        // A Checkpoint learned its questions on their own, so its answers stay.
        let mut open: Vec<usize> =
            (0..probabilities.len()).filter(|n| request.questions[*n].part.is_none()).collect();
        let mut tokens = 0;
        for left in (1..steps).rev() {
            // Spreads the questions evenly over the remaining passes.
            let quota = open.len().div_ceil(usize::from(left) + 1);
            let rest = split_off_settled(&mut open, quota, probabilities);
            let given = settled_answers(request, &rest, probabilities);
            if given.is_empty() || rest.is_empty() {
                break;
            }
            for n in &rest {
                request.condition_on(self.readers(false), *n, &given).map_err(DecisionFault::Engine)?;
                tokens += request.questions[*n].layout.tokens() as u64;
            }
            self.score(QueueOrder::next(flow), request, &rest, probabilities).await?;
            open = rest;
        }
        Ok(tokens)
    }
}

/// Keeps the questions whose answers are settled now, at most `quota` of the most confident. Returns the others.
fn split_off_settled(open: &mut Vec<usize>, quota: usize, probabilities: &[Vec<f64>]) -> Vec<usize> {
    sort_by_confidence(open, probabilities);
    let sure = open.iter().take_while(|n| above_chance(&probabilities[**n]) >= LEAST_CONFIDENCE).count();
    open.split_off(sure.min(quota))
}

/// The most confident of the settled answers, to be appended to the questions in `open`.
fn settled_answers(
    request: &TokenizedRequest,
    open: &[usize],
    probabilities: &[Vec<f64>],
) -> Vec<SettledAnswer> {
    let mut settled: Vec<usize> = (0..probabilities.len()).filter(|n| !open.contains(n)).collect();
    sort_by_confidence(&mut settled, probabilities);
    settled
        .into_iter()
        .filter(|n| above_chance(&probabilities[*n]) >= LEAST_CONFIDENCE)
        .map(|n| request.questions[n].settled_answer(&probabilities[n]))
        .filter(|settled| settled.question.chars().count() < MAX_GIVEN_CHARS)
        .take(MAX_GIVEN)
        .collect()
}

/// The most confident first; of equals, the first question.
fn sort_by_confidence(questions: &mut [usize], probabilities: &[Vec<f64>]) {
    questions.sort_by(|a, b| {
        above_chance(&probabilities[*b]).total_cmp(&above_chance(&probabilities[*a])).then(a.cmp(b))
    });
}

/// `(p - 1/k) / (1 - 1/k)` of the most probable of `k` outcomes.
fn above_chance(probabilities: &[f64]) -> f64 {
    let chance = 1.0 / probabilities.len().max(1) as f64;
    let most = probabilities.iter().copied().fold(0.0, f64::max);
    if probabilities.len() < 2 { 0.0 } else { (most - chance) / (1.0 - chance) }
}
