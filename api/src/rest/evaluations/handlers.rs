//! The handlers of evaluation runs.

use axum::{
    Json,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Error,
    learning::evaluation::{AnswerFormat, Evaluation},
};
use ports::id::{EvaluationId, JudgeId};

use super::{
    cascade::{CascadeParameters, CascadeQuery, EvaluationCascadeResponse},
    parameters::{AnswerParameters, AnswerQuery},
    shape::{EvaluationPriceResponse, EvaluationRequest, EvaluationResponse},
};
use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, AuthenticatedActor, PathId, RequestOnce},
    openapi::IdempotencyHeader,
    rest::{
        body_of_pieces,
        judge_jobs::{ENDED, NO_MODEL, SUBMIT_CONFLICT, SUBMIT_INVALID},
    },
};

/// Start an evaluation
///
/// Asks a version of the Judge, a Checkpoint or a backend about the Judge's labelled samples in the background, and
/// compares the answers with the ground truths. Each sample costs an inference: the price of all is held if it is at
/// most `max_credits`. Needs an API key with the scope `manage`.
#[utoipa::path(
    post, path = "/api/v1/judges/{id}/evaluations", tag = "judges", operation_id = "createEvaluation",
    params(("id" = String, Path, description = "The Judge"), IdempotencyHeader),
    request_body = EvaluationRequest,
    responses(
        (status = 202, description = "It is queued", body = EvaluationResponse),
        (status = 404, description = "`NOT_FOUND`: the account has no such Judge, version or Checkpoint."),
        (status = 409, description = SUBMIT_CONFLICT),
        (status = 422, description = SUBMIT_INVALID),
        (status = 500, description = NO_MODEL),
    )
)]
pub(crate) async fn create_evaluation(
    State(app): State<App>,
    PathId(judge): PathId<JudgeId>,
    AuthenticatedActor(actor): AuthenticatedActor,
    RequestOnce(once): RequestOnce,
    ApiJson(wanted): ApiJson<EvaluationRequest>,
) -> Result<(StatusCode, Json<EvaluationResponse>), Failure> {
    let started = app.services.evaluations.start(&actor, wanted.read(judge)?, once).await?;
    Ok((StatusCode::ACCEPTED, Json(response(&app, started).await?)))
}

/// The price of an evaluation
///
/// What an evaluation of the same body would cost; nothing is started. Needs an API key with the scope `read` or
/// `manage`.
#[utoipa::path(
    post, path = "/api/v1/judges/{id}/evaluations/price", tag = "judges", operation_id = "priceEvaluation",
    params(("id" = String, Path, description = "The Judge")),
    request_body = EvaluationRequest,
    responses(
        (status = 200, description = "The price", body = EvaluationPriceResponse),
        (status = 404, description = "`NOT_FOUND`: the account has no such Judge, version or Checkpoint."),
        (status = 409, description = "`CONFLICT`: the Checkpoint has not succeeded, or the Judge is the account's \
            moderation log."),
        (status = 422, description = "`VALIDATION_FAILED`, with the fields at fault, or because too few samples are \
            labelled."),
    )
)]
pub(crate) async fn price_evaluation(
    State(app): State<App>,
    PathId(judge): PathId<JudgeId>,
    AuthenticatedActor(actor): AuthenticatedActor,
    ApiJson(wanted): ApiJson<EvaluationRequest>,
) -> Result<Json<EvaluationPriceResponse>, Failure> {
    let order = wanted.read(judge)?;
    let estimate = app.services.evaluations.estimate(&actor, &order.evaluation).await?;
    Ok(Json(estimate.into()))
}

/// An evaluation
///
/// Its state and, once it has succeeded, its figures. Needs an API key with the scope `read` or `manage`.
#[utoipa::path(
    get, path = "/api/v1/evaluations/{id}", tag = "judges", operation_id = "getEvaluation",
    params(("id" = String, Path, description = "The evaluation")),
    responses((status = 200, description = "The evaluation", body = EvaluationResponse))
)]
pub(crate) async fn get_evaluation(
    State(app): State<App>,
    PathId(id): PathId<EvaluationId>,
    AuthenticatedActor(actor): AuthenticatedActor,
) -> Result<Json<EvaluationResponse>, Failure> {
    let found = app.services.evaluations.find(&actor.account, &id).await?;
    Ok(Json(response(&app, found).await?))
}

/// Cancel an evaluation
///
/// At once while it is queued, within seconds while it runs. What was answered stays charged; the rest is released.
/// Needs an API key with the scope `manage`.
#[utoipa::path(
    post, path = "/api/v1/evaluations/{id}/cancel", tag = "judges", operation_id = "cancelEvaluation",
    params(("id" = String, Path, description = "The evaluation")),
    responses(
        (status = 200, description = "It is cancelled, or will be", body = EvaluationResponse),
        (status = 409, description = ENDED),
    )
)]
pub(crate) async fn cancel_evaluation(
    State(app): State<App>,
    PathId(id): PathId<EvaluationId>,
    AuthenticatedActor(actor): AuthenticatedActor,
) -> Result<Json<EvaluationResponse>, Failure> {
    let cancelled = app.services.evaluations.cancel(&actor, &id).await?;
    Ok(Json(response(&app, cancelled).await?))
}

/// Export an evaluation's answers
///
/// Streams the answers that match the parameters, one for each sample and key, as JSON Lines or CSV; while the
/// evaluation runs, the answers so far. A transfer that ends with an error is incomplete. Needs an API key with the
/// scope `read` or `manage`. Free.
#[utoipa::path(
    get, path = "/api/v1/evaluations/{id}/answers", tag = "judges", operation_id = "exportEvaluationAnswers",
    params(("id" = String, Path, description = "The evaluation"), AnswerParameters),
    responses(
        (status = 200, description = "The file", content(
            (String = "application/x-ndjson"), (String = "text/csv"),
        )),
        (status = 503, description = "`OVERLOADED`: too many exports at once; retry after `Retry-After` seconds."),
    )
)]
pub(crate) async fn export_evaluation_answers(
    State(app): State<App>,
    PathId(id): PathId<EvaluationId>,
    AuthenticatedActor(actor): AuthenticatedActor,
    AnswerQuery(export): AnswerQuery,
) -> Result<Response, Failure> {
    let kind = match export.format {
        AnswerFormat::Jsonl => "application/x-ndjson",
        AnswerFormat::Csv => "text/csv; charset=utf-8; header=present",
    };
    let file = app.services.evaluations.export_answers(&actor.account, &id, export).await?;
    let permit = app.export_slots.acquire(&actor.account).await?;
    let disposition = format!("attachment; filename=\"{}\"", file.file_name());
    let disposition = HeaderValue::try_from(disposition).map_err(Error::internal)?;
    let headers =
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, body_of_pieces(file, permit, "an export ended early")).into_response())
}

/// The curve of a cascade
///
/// What a cascade of the models of several evaluations would have got right, and what a sample would have cost: for the
/// thresholds that no others beat, computed from the stored answers to the samples that all answered. Needs an API key
/// with the scope `read` or `manage`. Free.
#[utoipa::path(
    get, path = "/api/v1/evaluations/{id}/cascade", tag = "judges", operation_id = "getEvaluationCascade",
    params(("id" = String, Path, description = "The evaluation of the first step"), CascadeParameters),
    responses(
        (status = 200, description = "The curve", body = EvaluationCascadeResponse),
        (status = 409, description = "`CONFLICT`: one of the evaluations has not succeeded."),
    )
)]
pub(crate) async fn get_evaluation_cascade(
    State(app): State<App>,
    PathId(id): PathId<EvaluationId>,
    AuthenticatedActor(actor): AuthenticatedActor,
    CascadeQuery { then, accuracy }: CascadeQuery,
) -> Result<Json<EvaluationCascadeResponse>, Failure> {
    let steps: Vec<EvaluationId> = std::iter::once(id).chain(then).collect();
    let cascade = app.services.evaluations.cascade(&actor.account, &steps).await?;
    Ok(Json(EvaluationCascadeResponse::new(cascade, accuracy)))
}

/// An evaluation with its figures.
async fn response(app: &App, of: Evaluation) -> domain::Result<EvaluationResponse> {
    let ids = std::slice::from_ref(&of.id);
    let metrics = app.services.evaluations.metrics(&of.account, ids).await?;
    let metrics = metrics.into_values().next().unwrap_or_default();
    Ok(EvaluationResponse::new(of, metrics))
}
