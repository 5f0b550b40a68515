//! The query parameters of an export of answers.

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::{
    Result,
    learning::evaluation::{AnswerExport, AnswerFormat, EvaluationAnswerFilter},
};
use utoipa::IntoParams;

use crate::{
    error::Failure,
    extract::{QueryParameters, boolean, for_each_parameter, one_of_names},
};

/// The parameters of an export of answers, as the description lists them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code)]
pub(crate) struct AnswerParameters {
    /// The format of the file: `jsonl` (the default) or `csv`.
    #[param(required = false, pattern = "^(jsonl|csv)$")]
    format: String,
    /// Only answers to this question.
    #[param(required = false)]
    key: String,
    /// Only answers with this ground truth.
    #[param(required = false)]
    ground_truth: String,
    /// Only this answer.
    #[param(required = false)]
    answer: String,
    /// Only answers that are the ground truth, or only others.
    #[param(required = false)]
    agrees: bool,
    /// Only abstentions, or only others.
    #[param(required = false)]
    abstained: bool,
    /// Only samples that the Checkpoint was trained on, or only others.
    #[param(required = false)]
    trained: bool,
}

/// The parameters of an export of answers.
#[derive(Debug)]
pub(crate) struct AnswerQuery(pub(super) AnswerExport);

impl<S: Send + Sync> FromRequestParts<S> for AnswerQuery {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let QueryParameters(query) = QueryParameters::from_request_parts(parts, state).await?;
        Ok(Self(parse(query)?))
    }
}

fn parse(parameters: Vec<(String, String)>) -> Result<AnswerExport> {
    const NAMES: &str = "format, key, ground_truth, answer, agrees, abstained, trained";
    let mut format = AnswerFormat::Jsonl;
    let mut filter = EvaluationAnswerFilter::default();
    for_each_parameter(parameters, NAMES, |name, value| {
        match name {
            "format" => format = one_of_names(name, value)?,
            "key" => filter.key = Some(value.to_owned()),
            "ground_truth" => filter.truth = Some(value.to_owned()),
            "answer" => filter.answer = Some(value.to_owned()),
            "agrees" => filter.agrees = Some(boolean(name, value)?),
            "abstained" => filter.abstained = Some(boolean(name, value)?),
            "trained" => filter.trained = Some(boolean(name, value)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(AnswerExport { format, filter })
}
