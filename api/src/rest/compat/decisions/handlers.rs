//! The handler of OpenAI's Decisions.

use axum::{Json, extract::State, response::Response};
use domain::{
    Error, Result,
    operations::inference::{self, InferenceRequest, Inferred},
};
use ports::decision::Parameters;
use serde_json::Value;

use super::{
    input,
    question::{self, DecisionQuestion},
    shape::{DecisionsRequest, DecisionsResponse},
};
use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, RequestPayer, read_value},
    openapi::IdempotencyHeader,
    rest::paid_response,
};

/// The name in the ledger and under an `Idempotency-Key`.
pub(crate) const ENDPOINT: &str = "/v1/decisions";

/// Answer questions, as OpenAI's Decisions do
///
/// For OpenAI's clients. A model name that is not Gavel's is answered by the default model, which `model` in the
/// response names. No answer is ever a refusal. The body may be sent with `Content-Encoding: zstd` or `gzip`. Charges
/// the price of one inference, on success only.
#[utoipa::path(
    post, path = ENDPOINT, tag = "compatibility", operation_id = "createDecision",
    params(IdempotencyHeader),
    request_body = DecisionsRequest,
    responses(
        (status = 200, description = "The answers", body = DecisionsResponse),
    )
)]
pub(crate) async fn create_decision(
    State(app): State<App>,
    payer: RequestPayer,
    ApiJson(body): ApiJson<DecisionsRequest>,
) -> Result<Response, Failure> {
    let questions = question::parse(&body.questions)?;
    let request = inference_request(body, &questions, !app.settings.strict_model_names)?;
    let payment = payer.payment(ENDPOINT, &request)?;
    let paid = app.services.inference.infer(&app.services.billing, payment, request, None).await?;
    Ok(paid_response(paid.replayed, Json(DecisionsResponse::new(paid.outcome, questions))))
}

/// Reads the body of a request. `lenient_model`: whether an unknown model means the default.
///
/// # Errors
/// `VALIDATION_FAILED` naming the field at fault.
pub(crate) fn read_item(body: &Value, lenient_model: bool) -> Result<InferenceRequest> {
    let body: DecisionsRequest = read_value(body)?;
    let questions = question::parse(&body.questions)?;
    inference_request(body, &questions, lenient_model)
}

/// The body of the answer to the request `body`.
///
/// # Errors
/// None for a body that was read before.
pub(crate) fn item_answer(body: &Value, inferred: Inferred) -> Result<String> {
    let body: DecisionsRequest = read_value(body)?;
    let questions = question::parse(&body.questions)?;
    serde_json::to_string(&DecisionsResponse::new(inferred, questions)).map_err(Error::internal)
}

fn inference_request(
    body: DecisionsRequest,
    questions: &[DecisionQuestion],
    lenient_model: bool,
) -> Result<InferenceRequest> {
    inference::within("input", &body.input, "questions", &body.questions)?;
    Ok(InferenceRequest {
        state: ports::decision::DecisionState::parse("input", input::parse(body.input)?)?,
        questions: questions.iter().map(|one| one.question.clone()).collect(),
        output: None,
        backend: inference::Backend::Auto,
        model: body.model,
        lenient_model,
        mode: ports::decision::DecisionMode::Isolated,
        parameters: Parameters::default(),
        checkpoint: None,
    })
}
