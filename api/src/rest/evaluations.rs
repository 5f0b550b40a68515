//! `/api/v1/judges/{id}/evaluations` and `/api/v1/evaluations`: evaluation runs, priced, started, watched and cancelled.

use axum::{
    Extension, Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
};
use domain::learning::evaluation::Evaluation;
use ports::id::{EvaluationId, JudgeId, RequestId};

use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, AuthenticatedActor},
    openapi::{IdempotencyHeader, ManagementErrors, SubmissionErrors},
    rest::idempotency::once,
};

mod shape;

use shape::{EvaluationPriceResponse, EvaluationRequest, EvaluationResponse};

/// Start an evaluation
///
/// Asks a version of the Judge, or a Checkpoint, about the Judge's labelled samples in the background, and compares the answers
/// with the ground truths. Each sample costs an inference: the price of all is held if it is at most `max_credits`. Needs an API
/// key with the scope `manage`.
#[utoipa::path(
    post, path = "", tag = "judges", operation_id = "createEvaluation",
    params(("id" = String, Path, description = "The Judge"), IdempotencyHeader),
    request_body = EvaluationRequest,
    responses((status = 202, description = "It is queued", body = EvaluationResponse), SubmissionErrors)
)]
pub(crate) async fn create_evaluation(
    State(app): State<App>,
    Path(id): Path<String>,
    AuthenticatedActor(actor): AuthenticatedActor,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    ApiJson(wanted): ApiJson<EvaluationRequest>,
) -> Result<(StatusCode, Json<EvaluationResponse>), Failure> {
    let judge = JudgeId::parse(&id)?;
    let order = wanted.read(judge)?;
    let once = once(&app, &headers, request_id);
    let started = app.services.evaluations.start(&actor, order, once).await?;
    Ok((StatusCode::ACCEPTED, Json(response(&app, started).await?)))
}

/// The price of an evaluation
///
/// What an evaluation of the same body would cost; nothing is started. Needs an API key with the scope `read` or `manage`.
#[utoipa::path(
    post, path = "", tag = "judges", operation_id = "priceEvaluation",
    params(("id" = String, Path, description = "The Judge")),
    request_body = EvaluationRequest,
    responses((status = 200, description = "The price", body = EvaluationPriceResponse), SubmissionErrors)
)]
pub(crate) async fn price_evaluation(
    State(app): State<App>,
    Path(id): Path<String>,
    AuthenticatedActor(actor): AuthenticatedActor,
    ApiJson(wanted): ApiJson<EvaluationRequest>,
) -> Result<Json<EvaluationPriceResponse>, Failure> {
    let order = wanted.read(JudgeId::parse(&id)?)?;
    let estimate = app.services.evaluations.estimate(&actor.account, &order.evaluation).await?;
    Ok(Json(estimate.into()))
}

/// An evaluation
///
/// Its state and, once it has succeeded, its figures. Needs an API key with the scope `read` or `manage`.
#[utoipa::path(
    get, path = "", tag = "judges", operation_id = "getEvaluation",
    params(("id" = String, Path, description = "The evaluation")),
    responses((status = 200, description = "The evaluation", body = EvaluationResponse), ManagementErrors)
)]
pub(crate) async fn get_evaluation(
    State(app): State<App>,
    Path(id): Path<String>,
    AuthenticatedActor(actor): AuthenticatedActor,
) -> Result<Json<EvaluationResponse>, Failure> {
    let found = app.services.evaluations.find(&actor.account, &EvaluationId::parse(&id)?).await?;
    Ok(Json(response(&app, found).await?))
}

/// Cancel an evaluation
///
/// At once while it is queued, within seconds while it runs. What was answered stays charged; the rest is released. Needs an API
/// key with the scope `manage`.
#[utoipa::path(
    post, path = "", tag = "judges", operation_id = "cancelEvaluation",
    params(("id" = String, Path, description = "The evaluation")),
    responses((status = 200, description = "It is cancelled, or will be", body = EvaluationResponse), ManagementErrors)
)]
pub(crate) async fn cancel_evaluation(
    State(app): State<App>,
    Path(id): Path<String>,
    AuthenticatedActor(actor): AuthenticatedActor,
) -> Result<Json<EvaluationResponse>, Failure> {
    let cancelled = app.services.evaluations.cancel(&actor, &EvaluationId::parse(&id)?).await?;
    Ok(Json(response(&app, cancelled).await?))
}

/// An evaluation with its figures.
async fn response(app: &App, of: Evaluation) -> domain::Result<EvaluationResponse> {
    let ids = std::slice::from_ref(&of.id);
    let metrics = app.services.evaluations.metrics(&of.account, ids).await?;
    let metrics = metrics.into_values().next().unwrap_or_default();
    Ok(EvaluationResponse::new(of, metrics))
}
