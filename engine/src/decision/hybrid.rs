//! Hybrid mode: iterative refinement. All questions are answered on their own; the most confident answers are fixed,
//! and the other questions are scored again with these answers appended. A fixed answer never changes.

use ports::{Flow, decision::DecisionFault};

use super::{model::DecisionModel, question::TokenizedRequest};
use crate::encoder::Order;

/// The least confidence of a fixed answer, from 0 for chance to 1 for certainty.
const LEAST_CONFIDENCE: f64 = 0.5;
/// The most answers that are appended to a question, and the most characters of the question that each of them belongs
/// to; the same as in training.
const MAX_GIVEN: usize = 3;
const MAX_GIVEN_CHARS: usize = 160;

impl DecisionModel {
    /// Runs the passes after the first, whose result is in `probabilities`, until all `steps` are done or no further
    /// answer is confident enough. Returns the number of tokens read.
    pub(super) async fn refine(
        &self,
        flow: Flow,
        request: &mut TokenizedRequest,
        steps: u8,
        probabilities: &mut [Vec<f64>],
    ) -> Result<u64, DecisionFault> {
        // A Checkpoint learned its questions alone, so its answers stay.
        let mut open: Vec<usize> =
            (0..probabilities.len()).filter(|n| request.questions[*n].part.is_none()).collect();
        let mut tokens = 0;
        for left in (1..steps).rev() {
            // Spreads the questions evenly over the remaining passes.
            let quota = open.len().div_ceil(usize::from(left) + 1);
            let confidence = |n: usize| above_chance(&probabilities[n]);
            let by_confidence =
                |a: &usize, b: &usize| confidence(*b).total_cmp(&confidence(*a)).then(a.cmp(b));
            open.sort_by(by_confidence);
            let sure = open.iter().take_while(|n| confidence(**n) >= LEAST_CONFIDENCE).count().min(quota);
            let rest = open.split_off(sure);
            let mut committed: Vec<usize> = (0..probabilities.len()).filter(|n| !rest.contains(n)).collect();
            committed.sort_by(by_confidence);
            let given: Vec<(String, String)> = committed
                .iter()
                .filter(|n| confidence(**n) >= LEAST_CONFIDENCE)
                .map(|n| request.questions[*n].question_and_answer(&probabilities[*n]))
                .filter(|(question, _)| question.chars().count() < MAX_GIVEN_CHARS)
                .take(MAX_GIVEN)
                .collect();
            if given.is_empty() || rest.is_empty() {
                break;
            }
            for n in &rest {
                request.condition_on(self.embeddings(), *n, &given).map_err(DecisionFault::Engine)?;
                tokens += request.questions[*n].layout.tokens() as u64;
            }
            self.score(Order::next(flow), request, &rest, probabilities).await?;
            open = rest;
        }
        Ok(tokens)
    }
}

/// `(p - 1/k) / (1 - 1/k)` of the most probable of `k` outcomes.
fn above_chance(probabilities: &[f64]) -> f64 {
    let chance = 1.0 / probabilities.len().max(1) as f64;
    let most = probabilities.iter().copied().fold(0.0, f64::max);
    if probabilities.len() < 2 { 0.0 } else { (most - chance) / (1.0 - chance) }
}
