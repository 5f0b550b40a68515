//! Hybrid mode: the questions of a request settle each other. All are asked alone; the surest answers are committed, and
//! the others are asked again with these beside their question. Never asks a committed question again.

use domain::inference::DecisionFault;

use super::{model::DecisionModel, question::TokenizedRequest};

/// How far above chance an answer must be to be put to other questions: half way to certainty.
const LEAST_CONFIDENCE: f64 = 0.5;
/// Answers put to a question, and characters of the question each of them is to: no more than in training.
const MAX_GIVEN: usize = 3;
const MAX_GIVEN_CHARS: usize = 160;

impl DecisionModel {
    /// Asks again, until all `steps` passes are done or no further answer is sure. The first pass has been, its outcome is
    /// `probabilities`. Gives the tokens that it read.
    pub(super) async fn refine(
        &self,
        request: &mut TokenizedRequest,
        steps: u8,
        probabilities: &mut [Vec<f64>],
    ) -> Result<u64, DecisionFault> {
        let mut open: Vec<usize> = (0..probabilities.len()).collect();
        let mut tokens = 0;
        for left in (1..steps).rev() {
            // So many a pass that the last pass has as many left as each has committed.
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
            self.score(request, &rest, probabilities).await?;
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
