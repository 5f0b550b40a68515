//! `POST /api/v1/inference` and its aliases: typed questions about any state.

use axum::{Json, extract::State, response::Response};
use domain::inference;

use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, Asker},
    openapi::{IdempotencyHeader, PaidErrors},
    rest::answer,
};

mod shape;

use shape::{CustomInferenceRequest, CustomInferenceResponse};
pub(crate) use shape::{InferenceAnswer, by_key};

/// The path under which all its aliases are charged.
pub(crate) const INFERENCE: &str = "/api/v1/inference";
/// Other paths that are answered alike.
pub(crate) const ALIASES: [&str; 3] = ["/v1/inference", "/v1/custom", "/api/inference"];

/// Answer questions about a state
///
/// Each question is a choice, a score or a yes/no question (`noul`), and each answer comes with calibrated
/// probabilities. The body may be sent with `Content-Encoding: zstd` or `gzip`. Charges the price of one inference, on
/// success only, however many questions it has.
#[utoipa::path(
    post, path = INFERENCE, tag = "inference", operation_id = "infer",
    params(IdempotencyHeader),
    request_body = CustomInferenceRequest,
    responses(
        (status = 200, description = "The answers", body = CustomInferenceResponse),
        PaidErrors,
        (status = 404, description = "`NOT_FOUND`: there is no such Judge in the account",
            body = crate::error::ErrorResponse),
    )
)]
pub(crate) async fn infer(
    State(app): State<App>,
    asker: Asker,
    ApiJson(body): ApiJson<CustomInferenceRequest>,
) -> Result<Response, Failure> {
    let request = body.read()?;
    let caller = asker.paying(INFERENCE, &request)?;
    let paid = inference::infer(&app.ctx, caller, request).await?;
    Ok(answer(paid.replayed, Json(CustomInferenceResponse::new(paid))))
}
