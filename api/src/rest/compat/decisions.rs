//! `POST /v1/decisions`: typed questions, as OpenAI's clients ask them.

use axum::{Json, extract::State, response::Response};
use domain::{
    Result,
    inference::{self, InferenceRequest, Parameters},
};

use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, Asker},
    openapi::{IdempotencyHeader, OpenAiPaidErrors},
    rest::answer,
};

mod input;
mod part;
mod question;
mod shape;

use question::Asked;
use shape::{DecisionsRequest, DecisionsResponse};

/// The name in the ledger and under an `Idempotency-Key`.
const DECISIONS: &str = "/v1/decisions";

/// Answer questions, as OpenAI's Decisions do
///
/// For clients made for OpenAI. `model` may be a name of theirs: the default model answers then, and says who it is. No
/// question is ever refused. The body may be sent with `Content-Encoding: zstd` or `gzip`. Charges the price of one
/// inference, on success only.
#[utoipa::path(
    post, path = "", tag = "compatibility", operation_id = "createDecision",
    params(IdempotencyHeader),
    request_body = DecisionsRequest,
    responses(
        (status = 200, description = "The answers", body = DecisionsResponse),
        OpenAiPaidErrors,
    )
)]
pub(crate) async fn decide(
    State(app): State<App>,
    asker: Asker,
    ApiJson(body): ApiJson<DecisionsRequest>,
) -> Result<Response, Failure> {
    let asked = question::read(&body.questions)?;
    let request = read(body, &asked, !app.settings.strict_model_names)?;
    let payment = asker.paying(DECISIONS, &request)?;
    let paid = app.ctx.inference.infer(&app.ctx.billing, payment, request, None).await?;
    Ok(answer(paid.replayed, Json(DecisionsResponse::new(paid.outcome, asked))))
}

fn read(body: DecisionsRequest, asked: &[Asked], lenient_model: bool) -> Result<InferenceRequest> {
    inference::within("input", &body.input, "questions", &body.questions)?;
    Ok(InferenceRequest {
        state: inference::State::parse("input", input::read(body.input)?)?,
        questions: asked.iter().map(|asked| asked.question.clone()).collect(),
        backend: inference::Backend::Auto,
        model: body.model,
        lenient_model,
        mode: inference::Mode::Native,
        parameters: Parameters::default(),
    })
}
