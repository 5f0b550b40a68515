//! The handlers of inferences, and inferences as items of a bulk batch.

use axum::{
    Json,
    extract::{Path, State},
    response::Response,
};
use domain::{Error, learning::judge::ValidDraft, money::billing::Paid, operations::inference::Inferred};
use serde_json::Value;

use super::{request::CustomInferenceRequest, response::CustomInferenceResponse};
use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, RequestPayer, read_value},
    openapi::IdempotencyHeader,
    rest::paid_response,
};

/// The name in the ledger and under an `Idempotency-Key`, whatever the path.
pub(crate) const ENDPOINT: &str = "/api/v1/inference";
/// The path through a Judge.
pub(crate) const JUDGE_PATH: &str = "/api/v1/judges/{id}/inference";

/// Answer questions about a state
///
/// Each question is a choice, a score or a yes/no question (`noul`), and each answer comes with calibrated
/// probabilities. The body may be sent with `Content-Encoding: zstd` or `gzip`. Charges the price of one inference, on
/// success only, however many questions it has; for `states`, one for each.
#[utoipa::path(
    post, path = ENDPOINT, tag = "inference", operation_id = "infer",
    params(IdempotencyHeader),
    request_body = CustomInferenceRequest,
    responses(
        (status = 200, description = "The answers", body = CustomInferenceResponse),
        (status = 404, description = "`NOT_FOUND`: there is no such Judge in the account."),
        (status = 409, description = "`CONFLICT`: the Judge is the account's moderation log, or the first request with \
            this Idempotency-Key is still running."),
    )
)]
pub(crate) async fn infer(
    State(app): State<App>,
    payer: RequestPayer,
    ApiJson(body): ApiJson<CustomInferenceRequest>,
) -> Result<Response, Failure> {
    Ok(run(&app, payer, body, None).await?)
}

/// Answer questions about a state through a Judge
///
/// The Judge supplies the instructions and parameters that the request leaves out. When its `storeContent` is on,
/// request and answer are recorded in its dataset, in the same commit as the charge, and `logged` is true. The same as
/// `judge_id` in the body of `/api/v1/inference`, and charged as that.
#[utoipa::path(
    post, path = JUDGE_PATH, tag = "inference", operation_id = "inferThroughJudge",
    params(IdempotencyHeader, ("id" = String, Path, description = "The Judge")),
    request_body = CustomInferenceRequest,
    responses(
        (status = 200, description = "The answers", body = CustomInferenceResponse),
        (status = 404, description = "`NOT_FOUND`: there is no such Judge in the account, or it is archived."),
        (status = 409, description = "`CONFLICT`: the Judge is the account's moderation log, or the first request with \
            this Idempotency-Key is still running."),
    )
)]
pub(crate) async fn infer_through_judge(
    State(app): State<App>,
    Path(id): Path<String>,
    payer: RequestPayer,
    ApiJson(body): ApiJson<CustomInferenceRequest>,
) -> Result<Response, Failure> {
    Ok(run(&app, payer, body, Some(id)).await?)
}

/// Reads the body of a request. `judge`: the Judge in its path, if there is one.
///
/// # Errors
/// `VALIDATION_FAILED` naming every field at fault; then `NOT_FOUND` for what cannot be a Judge's id.
pub(crate) fn read_item(judge: Option<String>, body: &Value) -> domain::Result<ValidDraft> {
    let request = read_value::<CustomInferenceRequest>(body)?;
    match request.states {
        Some(_) => Err(Error::invalid("states", "must be left out of a batch: write a line for each state")),
        None => request.read(judge),
    }
}

/// The body of an answer.
///
/// # Errors
/// None that can happen: it is plain data.
pub(crate) fn item_answer(paid: Paid<Inferred>) -> domain::Result<String> {
    serde_json::to_string(&CustomInferenceResponse::new(paid)).map_err(Error::internal)
}

/// Runs and charges an inference, whatever the path.
async fn run(
    app: &App,
    payer: RequestPayer,
    mut request: CustomInferenceRequest,
    judge: Option<String>,
) -> domain::Result<Response> {
    let inference = &app.services.judge_inference;
    if let Some(states) = request.states.take() {
        let drafts = request.read_each(states, judge)?;
        let payment = payer.payment(ENDPOINT, &drafts)?;
        let paid = inference.infer_each(payment, drafts).await?;
        return Ok(paid_response(paid.replayed, Json(CustomInferenceResponse::of_each(paid))));
    }
    let draft = request.read(judge)?;
    let payment = payer.payment(ENDPOINT, &draft)?;
    let paid = inference.infer(payment, draft).await?;
    Ok(paid_response(paid.replayed, Json(CustomInferenceResponse::new(paid))))
}
