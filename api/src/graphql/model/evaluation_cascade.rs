//! The curve of a cascade of evaluated models.

use async_graphql::SimpleObject;
use domain::learning::evaluation::{CurvePoint, EvaluatedCascade};

use super::Evaluation;

/// What a cascade of the models of several evaluations would have got right, and what a sample would have cost,
/// computed from the answers to the samples that all of them answered.
#[derive(SimpleObject)]
pub(crate) struct EvaluationCascade {
    /// The evaluations of its steps, in order.
    steps: Vec<Evaluation>,
    /// The samples that all of them answered.
    samples: u64,
    /// The questions of these samples.
    questions: u64,
    /// The thresholds that no others beat in both accuracy and price, the cheapest first.
    curve: Vec<CascadePoint>,
    /// The first point with the wanted accuracy; null if there is none, or if no accuracy is wanted.
    cheapest: Option<CascadePoint>,
}

/// A choice of thresholds for a cascade.
#[derive(SimpleObject)]
pub(crate) struct CascadePoint {
    /// The certainty below which a question goes on, of each step but the last.
    below: Vec<f64>,
    /// The share of the questions whose last answer is the ground truth.
    accuracy: f64,
    /// Mean credits a sample.
    credits: f64,
    /// The share of the samples that each step was asked about.
    asked: Vec<f64>,
}

impl EvaluationCascade {
    pub(crate) fn new(of: EvaluatedCascade, accuracy: Option<f64>) -> Self {
        let cheapest = accuracy.and_then(|accuracy| of.cheapest(accuracy)).cloned();
        Self {
            cheapest: cheapest.map(CascadePoint::from),
            steps: of.steps.into_iter().map(Evaluation).collect(),
            samples: of.samples,
            questions: of.questions,
            curve: of.curve.into_iter().map(CascadePoint::from).collect(),
        }
    }
}

impl From<CurvePoint> for CascadePoint {
    fn from(point: CurvePoint) -> Self {
        let CurvePoint { below, accuracy, credits, asked } = point;
        Self { below, accuracy, credits, asked }
    }
}
