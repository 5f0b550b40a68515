//! What a cascade of the models of some evaluations would have answered and cost. It is computed from stored answers,
//! and asks no model.

use std::collections::BTreeMap;

use super::{
    answer_list::AnswerPosition,
    compare::{answers, require_succeeded},
    curve::{CurvePoint, SampleAnswers, StepAnswer, curve},
    evaluations::Evaluations,
    store::Evaluation,
};
use crate::{Error, Result, learning::agreement::GradedAnswer};
use ports::id::{AccountId, EvaluationId};

/// Maximum evaluations of a cascade: the thresholds of each are tried with those of the others.
const MAX_STEPS: usize = 3;

/// A cascade of evaluated models.
#[derive(Clone, Debug)]
pub struct EvaluatedCascade {
    /// The steps, in order.
    pub steps: Vec<Evaluation>,
    /// The samples that all of them answered.
    pub samples: u64,
    /// The questions of these samples.
    pub questions: u64,
    /// The choices of thresholds that no other one beats, the cheapest first.
    pub curve: Vec<CurvePoint>,
}

impl EvaluatedCascade {
    /// The cheapest choice that is right at least so often, if there is one.
    pub fn cheapest(&self, accuracy: f64) -> Option<&CurvePoint> {
        self.curve.iter().find(|point| point.accuracy >= accuracy)
    }
}

impl Evaluations {
    /// Computes the curve of a cascade over evaluations of one Judge, in this order, on the samples that all of them
    /// answered under the same ground truth, and on which none was trained. A question is one that has a ground truth.
    ///
    /// # Errors
    /// `NOT_FOUND` without one of them; `VALIDATION_FAILED` for too few or too many, for one that is named twice, and
    /// for evaluations of different Judges or without common samples; `CONFLICT` unless all have succeeded.
    pub async fn cascade(&self, account: &AccountId, ids: &[EvaluationId]) -> Result<EvaluatedCascade> {
        if !(2..=MAX_STEPS).contains(&ids.len()) {
            let message =
                format!("must be 2 to {MAX_STEPS} evaluations, in the order in which they are asked");
            return Err(Error::invalid("evaluations", message));
        }
        let mut steps: Vec<Evaluation> = Vec::with_capacity(ids.len());
        let mut answered = Vec::with_capacity(ids.len());
        for id in ids {
            let step = self.find(account, id).await?;
            if steps.iter().any(|earlier| earlier.id == step.id) {
                return Err(Error::invalid("evaluations", format!("must not name {id} twice")));
            }
            if steps.first().is_some_and(|first| first.judge != step.judge) {
                return Err(Error::invalid("evaluations", "must all be of the same Judge"));
            }
            require_succeeded(&step)?;
            answered.push(answers(&self.paid.db, id).await?);
            steps.push(step);
        }
        let prices: Vec<f64> = steps.iter().map(|step| step.price.credits()).collect();
        // Hundreds of thousands of comparisons.
        let computed = tokio::task::spawn_blocking(move || {
            let samples = common(answered);
            let questions = samples.iter().map(|sample| sample.questions.len() as u64).sum();
            (samples.len() as u64, questions, curve(&samples, &prices))
        });
        let (samples, questions, curve) = computed.await.map_err(Error::internal)?;
        if samples == 0 {
            return Err(Error::invalid("evaluations", "must have answered at least one sample in common"));
        }
        Ok(EvaluatedCascade { steps, samples, questions, curve })
    }
}

/// The samples whose questions all steps answered under the same ground truth.
fn common(mut answered: Vec<BTreeMap<AnswerPosition, GradedAnswer>>) -> Vec<SampleAnswers> {
    let first = answered.remove(0);
    let mut samples: BTreeMap<i64, SampleAnswers> = BTreeMap::new();
    for (position, answer) in first {
        let others =
            answered.iter().map(|step| step.get(&position).filter(|other| other.truth == answer.truth));
        let Some(others) = others.collect::<Option<Vec<_>>>() else { continue };
        let steps = std::iter::once(&answer).chain(others).map(StepAnswer::from).collect();
        let sample = samples.entry(position.seq).or_insert_with(|| SampleAnswers { questions: Vec::new() });
        sample.questions.push(steps);
    }
    samples.into_values().collect()
}

impl From<&GradedAnswer> for StepAnswer {
    fn from(graded: &GradedAnswer) -> Self {
        Self { certainty: graded.probability.unwrap_or_default(), right: graded.agrees() }
    }
}
