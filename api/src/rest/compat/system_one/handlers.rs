//! The handler of System One's inferences.

use axum::{Json, extract::State, response::Response};

use super::shape::*;
use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, RequestPayer},
    openapi::IdempotencyHeader,
    rest::paid_response,
};

/// The name in the ledger and under an `Idempotency-Key`.
const ENDPOINT: &str = "/v1/systemone";

/// Answer questions, as System One does
///
/// For System One's clients. A model name that is not Gavel's is answered by the default model, which `model` in the
/// response names. The body may be sent with `Content-Encoding: zstd` or `gzip`. Charges the price of one inference,
/// on success only.
#[utoipa::path(
    post, path = ENDPOINT, tag = "compatibility", operation_id = "systemOne",
    params(IdempotencyHeader),
    request_body = SystemOneRequest,
    responses(
        (status = 200, description = "The answers", body = SystemOneResponse),
        (status = 422, description = "`MALFORMED_BODY`: the body is not JSON; `VALIDATION_FAILED`, with the values at \
            fault; or `IDEMPOTENCY_MISMATCH`."),
    )
)]
pub(crate) async fn infer(
    State(app): State<App>,
    payer: RequestPayer,
    ApiJson(body): ApiJson<SystemOneRequest>,
) -> Result<Response, Failure> {
    let legends = body.legends();
    let request = body.read(!app.settings.strict_model_names)?;
    let payment = payer.payment(ENDPOINT, &request)?;
    let paid = app.services.inference.infer(&app.services.billing, payment, request, None).await?;
    Ok(paid_response(paid.replayed, Json(SystemOneResponse::new(paid.outcome, &legends))))
}
