//! The handlers of Checkpoints.

use axum::{Json, extract::State, http::StatusCode};
use domain::{
    learning::checkpoint::{Checkpoint, NewCheckpoint},
    services::Services,
};
use ports::id::{CheckpointId, JudgeId};

use super::shape::{CheckpointRequest, CheckpointResponse};
use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, AuthenticatedActor, PathId, RequestOnce},
    openapi::IdempotencyHeader,
    rest::judge_jobs::{ENDED, NO_MODEL, SUBMIT_CONFLICT, SUBMIT_INVALID},
};

/// Submit a Checkpoint
///
/// What is labelled now is trained on in the background, and compared with the live model on samples that are held out.
/// The price is held; it is charged when it succeeds. Needs an API key with the scope `manage`.
#[utoipa::path(
    post, path = "/api/v1/judges/{id}/checkpoints", tag = "judges", operation_id = "createCheckpoint",
    params(("id" = String, Path, description = "The Judge"), IdempotencyHeader),
    request_body = CheckpointRequest,
    responses(
        (status = 202, description = "It is queued", body = CheckpointResponse),
        (status = 409, description = SUBMIT_CONFLICT),
        (status = 422, description = SUBMIT_INVALID),
        (status = 500, description = NO_MODEL),
    )
)]
pub(crate) async fn create_checkpoint(
    State(app): State<App>,
    PathId(judge): PathId<JudgeId>,
    AuthenticatedActor(actor): AuthenticatedActor,
    RequestOnce(once): RequestOnce,
    ApiJson(wanted): ApiJson<CheckpointRequest>,
) -> Result<(StatusCode, Json<CheckpointResponse>), Failure> {
    let CheckpointRequest { auto_activate, only_objects: () } = wanted;
    let new = NewCheckpoint { judge, auto_activate };
    let submitted = app.services.checkpoints.submit(&actor, new, once).await?;
    Ok((StatusCode::ACCEPTED, Json(response(&app, submitted).await?)))
}

/// A Checkpoint
///
/// Its state and progress and, once it has succeeded, how it compares with the model that was live. Needs an API key
/// with the scope `read` or `manage`.
#[utoipa::path(
    get, path = "/api/v1/checkpoints/{id}", tag = "judges", operation_id = "getCheckpoint",
    params(("id" = String, Path, description = "The Checkpoint")),
    responses((status = 200, description = "The Checkpoint", body = CheckpointResponse))
)]
pub(crate) async fn get_checkpoint(
    State(app): State<App>,
    PathId(id): PathId<CheckpointId>,
    AuthenticatedActor(actor): AuthenticatedActor,
) -> Result<Json<CheckpointResponse>, Failure> {
    let found = app.services.checkpoints.find(&actor.account, &id).await?;
    Ok(Json(response(&app, found).await?))
}

/// Cancel a Checkpoint
///
/// At once while it is queued, within seconds while it is trained, unless it succeeds before. Its credits are released.
/// Needs an API key with the scope `manage`.
#[utoipa::path(
    post, path = "/api/v1/checkpoints/{id}/cancel", tag = "judges", operation_id = "cancelCheckpoint",
    params(("id" = String, Path, description = "The Checkpoint")),
    responses(
        (status = 200, description = "It is cancelled, or will be", body = CheckpointResponse),
        (status = 409, description = ENDED),
    )
)]
pub(crate) async fn cancel_checkpoint(
    State(app): State<App>,
    PathId(id): PathId<CheckpointId>,
    AuthenticatedActor(actor): AuthenticatedActor,
) -> Result<Json<CheckpointResponse>, Failure> {
    let cancelled = app.services.checkpoints.cancel(&actor, &id).await?;
    Ok(Json(response(&app, cancelled).await?))
}

/// Activate a Checkpoint
///
/// It answers for its Judge from now on, in place of the base model or of another Checkpoint. An earlier one is
/// rolled back to in the same way. Needs an API key with the scope `manage`.
#[utoipa::path(
    post, path = "/api/v1/checkpoints/{id}/activate", tag = "judges", operation_id = "activateCheckpoint",
    params(("id" = String, Path, description = "The Checkpoint")),
    responses(
        (status = 200, description = "It is active", body = CheckpointResponse),
        (status = 409, description = "`CONFLICT`: it has not succeeded, or its Judge is archived."),
    )
)]
pub(crate) async fn activate_checkpoint(
    State(app): State<App>,
    PathId(id): PathId<CheckpointId>,
    AuthenticatedActor(actor): AuthenticatedActor,
) -> Result<Json<CheckpointResponse>, Failure> {
    let activated = app.services.checkpoints.activate(&actor, &id).await?;
    Ok(Json(response(&app, activated).await?))
}

/// A Checkpoint with its details, and whether it is active.
async fn response(app: &App, of: Checkpoint) -> domain::Result<CheckpointResponse> {
    let Services { judges, checkpoints, .. } = &app.services;
    let judge = judges.find(&of.account, &of.judge).await?;
    let active = judge.checkpoint.is_some_and(|active| active.id == of.id);
    let details = checkpoints.details(&of.account, std::slice::from_ref(&of.id)).await?;
    let details = details.into_values().next();
    Ok(CheckpointResponse::new(of, details, active))
}
