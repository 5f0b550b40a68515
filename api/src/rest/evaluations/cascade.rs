//! The curve of a cascade of evaluated models: its query parameters and its JSON shape.

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::{
    Error, Result,
    learning::evaluation::{CurvePoint, EvaluatedCascade},
};
use ports::id::EvaluationId;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    error::Failure,
    extract::{QueryParameters, for_each_parameter},
};

/// The parameters of a curve, as the description lists them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code)]
pub(crate) struct CascadeParameters {
    /// The evaluations of the steps after the first, one or two, with a comma between them.
    #[param(required = true, example = "eval_01kahd7f3ye9pvsk8h0a5m5x31")]
    then: String,
    /// The accuracy that is wanted, 0 to 1: `cheapest` is then the point that reaches it at the least price.
    #[param(required = false, minimum = 0, maximum = 1)]
    accuracy: f64,
}

/// The parameters of a curve.
#[derive(Debug)]
pub(crate) struct CascadeQuery {
    pub(super) then: Vec<EvaluationId>,
    pub(super) accuracy: Option<f64>,
}

impl<S: Send + Sync> FromRequestParts<S> for CascadeQuery {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let QueryParameters(query) = QueryParameters::from_request_parts(parts, state).await?;
        Ok(parse(query)?)
    }
}

fn parse(parameters: Vec<(String, String)>) -> Result<CascadeQuery> {
    let mut query = CascadeQuery { then: Vec::new(), accuracy: None };
    for_each_parameter(parameters, "then, accuracy", |name, value| {
        match name {
            "then" => {
                query.then = value.split(',').map(EvaluationId::parse).collect::<Result<_, _>>()?;
            }
            "accuracy" => {
                let accuracy = value.parse().ok().filter(|accuracy| (0.0..=1.0).contains(accuracy));
                query.accuracy =
                    Some(accuracy.ok_or_else(|| Error::invalid(name, "must be a number from 0 to 1"))?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if query.then.is_empty() {
        return Err(Error::invalid("then", "must name the evaluations of the steps after the first"));
    }
    Ok(query)
}

/// What a cascade would have got right and cost.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvaluationCascadeResponse {
    /// Always `evaluation.cascade`.
    #[schema(example = "evaluation.cascade")]
    pub object: &'static str,
    /// The evaluations of its steps.
    pub evaluations: Vec<String>,
    /// The samples that all of them answered.
    #[schema(example = 120)]
    pub samples: u64,
    /// The questions of these samples.
    #[schema(example = 240)]
    pub questions: u64,
    /// The thresholds that no others beat in both accuracy and price, the cheapest first.
    pub curve: Vec<CascadePoint>,
    /// The first point with the wanted accuracy; absent if there is none, or if no accuracy is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cheapest: Option<CascadePoint>,
}

/// A choice of thresholds.
#[derive(Debug, Serialize, ToSchema)]
pub struct CascadePoint {
    /// The `below` of each step but the last.
    #[schema(example = json!([0.7]))]
    pub below: Vec<f64>,
    /// The share of the questions whose last answer is the ground truth.
    #[schema(example = 0.91)]
    pub accuracy: f64,
    /// Mean credits a sample.
    #[schema(example = 0.9)]
    pub credits: f64,
    /// The share of the samples that each step was asked about.
    #[schema(example = json!([1.0, 0.2]))]
    pub asked: Vec<f64>,
}

impl EvaluationCascadeResponse {
    pub(super) fn new(of: EvaluatedCascade, accuracy: Option<f64>) -> Self {
        let cheapest = accuracy.and_then(|accuracy| of.cheapest(accuracy)).cloned();
        Self {
            object: "evaluation.cascade",
            evaluations: of.steps.iter().map(|step| step.id.to_string()).collect(),
            samples: of.samples,
            questions: of.questions,
            curve: of.curve.into_iter().map(CascadePoint::from).collect(),
            cheapest: cheapest.map(CascadePoint::from),
        }
    }
}

impl From<CurvePoint> for CascadePoint {
    fn from(point: CurvePoint) -> Self {
        let CurvePoint { below, accuracy, credits, asked } = point;
        Self { below, accuracy, credits, asked }
    }
}
