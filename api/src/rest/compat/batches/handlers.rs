//! The handlers of OpenAI's batches.

use axum::{Extension, Json, extract::State};
use domain::{
    Code, Detail, Error,
    batch::{Batch, Format, FromFile, SubmitOptions, check_metadata},
    money::billing::FinishFlag,
};
use ports::id::{AccountId, BatchId, FileId};

use super::shape::{BatchListParameters, OpenAiBatch, OpenAiBatchList, OpenAiBatchRequest};
use crate::{
    app::App,
    error::Failure,
    extract::{ApiJson, PathId, QueryParameters, RequestOnce},
    identity::Identity,
    openapi::IdempotencyHeader,
    rest::batches::{check_endpoint, page_of},
};

/// The only completion window.
const COMPLETION_WINDOW: &str = "24h";
/// Problems of items that a message has; the rest are only counted.
const LISTED_PROBLEMS: usize = 10;

/// Create a batch
///
/// For OpenAI's clients. Every line of the file is validated as its endpoint would, and its `url` must be `endpoint`;
/// if anything is wrong, nothing is created. The credits for all items are held until the batch ends; an item is
/// charged when it has succeeded. An API key needs the scope of the items: `moderate` or `infer`. The same engine as
/// `/api/v1/batches`, which shows these batches too.
#[utoipa::path(
    post, path = "/v1/batches", tag = "compatibility", operation_id = "createOpenAiBatch",
    params(IdempotencyHeader),
    request_body = OpenAiBatchRequest,
    responses(
        (status = 200, description = "It is queued", body = OpenAiBatch),
        (status = 403, description = "`FORBIDDEN`: the key lacks the scope of the items."),
        (status = 404, description = "`NOT_FOUND`: the account has no such file."),
        (status = 409, description = "`CONFLICT`: the account has too many open batches, or its batches and files take \
            too many bytes; or the first request with this Idempotency-Key is still running."),
        (status = 422, description = "`VALIDATION_FAILED`, with the parameter or the first lines at fault, or \
            `IDEMPOTENCY_MISMATCH`."),
    )
)]
pub(crate) async fn create_openai_batch(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    Extension(finish): Extension<FinishFlag>,
    RequestOnce(once): RequestOnce,
    ApiJson(body): ApiJson<OpenAiBatchRequest>,
) -> Result<Json<OpenAiBatch>, Failure> {
    let OpenAiBatchRequest { input_file_id, endpoint, completion_window, metadata, .. } = body;
    check_endpoint("endpoint", &endpoint)?;
    if completion_window != COMPLETION_WINDOW {
        let message = format!("must be one of: {COMPLETION_WINDOW}");
        return Err(Error::invalid("completion_window", message).into());
    }
    check_metadata(&metadata)?;
    let file = FileId::parse(&input_file_id).map_err(|missing| of_input_file(missing.into()))?;
    let _permit = app.batch_slots.acquire(identity.account()).await?;
    let submitter = identity.submitter(&app.services.db).await?;
    let options = SubmitOptions { format: Format::Jsonl, once, finish };
    let access = identity.readable_batches();
    let from = FromFile { file, endpoint, metadata };
    let batch = app.services.batches.submit_file(submitter, &access, options, from).await;
    Ok(Json(with_files(&app, identity.account(), batch.map_err(in_one_message)?).await?))
}

/// List batches
///
/// For OpenAI's clients: those created from files, newest first. A key without the scope `read` or
/// `manage` sees its own.
#[utoipa::path(
    get, path = "/v1/batches", tag = "compatibility", operation_id = "listOpenAiBatches",
    params(BatchListParameters),
    responses((status = 200, description = "A page of batches", body = OpenAiBatchList))
)]
pub(crate) async fn list_openai_batches(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    QueryParameters(query): QueryParameters,
) -> Result<Json<OpenAiBatchList>, Failure> {
    let page = page_of(query)?;
    let access = identity.readable_batches().from_files();
    let batches = app.services.batches.list(&access, page).await?;
    let ids: Vec<BatchId> = batches.items.iter().map(|batch| batch.id.clone()).collect();
    let mut files = app.services.files.of_batches(identity.account(), &ids).await?;
    let data = batches.items.into_iter().map(|batch| {
        let files = files.remove(&batch.id).unwrap_or_default();
        OpenAiBatch::new(batch, files)
    });
    Ok(Json(OpenAiBatchList::new(data.collect(), batches.has_next)))
}

/// A batch
#[utoipa::path(
    get, path = "/v1/batches/{batch_id}", tag = "compatibility", operation_id = "getOpenAiBatch",
    params(("batch_id" = String, Path, description = "The batch")),
    responses((status = 200, description = "The batch", body = OpenAiBatch))
)]
pub(crate) async fn get_openai_batch(
    State(app): State<App>,
    PathId(id): PathId<BatchId>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<OpenAiBatch>, Failure> {
    let access = identity.readable_batches().from_files();
    let batch = app.services.batches.find(&access, &id).await?;
    Ok(Json(with_files(&app, identity.account(), batch).await?))
}

/// Cancel a batch
///
/// For OpenAI's clients. It is cancelled at once: what has run stays and is charged, and the credits held for the rest
/// are released.
#[utoipa::path(
    post, path = "/v1/batches/{batch_id}/cancel", tag = "compatibility", operation_id = "cancelOpenAiBatch",
    params(("batch_id" = String, Path, description = "The batch")),
    responses(
        (status = 200, description = "It is cancelled", body = OpenAiBatch),
        (status = 409, description = "`CONFLICT`: it has completed, failed or expired."),
    )
)]
pub(crate) async fn cancel_openai_batch(
    State(app): State<App>,
    PathId(id): PathId<BatchId>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<OpenAiBatch>, Failure> {
    let access = identity.cancellable_batches()?.from_files();
    let batch = app.services.batches.cancel(&access, &id).await?;
    Ok(Json(with_files(&app, identity.account(), batch).await?))
}

async fn with_files(app: &App, account: &AccountId, batch: Batch) -> domain::Result<OpenAiBatch> {
    let mut files = app.services.files.of_batches(account, std::slice::from_ref(&batch.id)).await?;
    let files = files.remove(&batch.id).unwrap_or_default();
    Ok(OpenAiBatch::new(batch, files))
}

/// Names the parameter in the error for a file that the account does not have.
fn of_input_file(error: Error) -> Error {
    Error { code: error.code, ..Error::invalid("input_file_id", "must be the id of a file of this account") }
}

/// Puts the first problems of items into the message: OpenAI's errors have no list of details.
fn in_one_message(error: Error) -> Error {
    match error.code {
        Code::NotFound => of_input_file(error),
        // The body was read; the file cannot be.
        Code::MalformedBody => {
            let detail = Detail { field: "input_file_id".to_owned(), message: error.message.clone() };
            Error::new(Code::ValidationFailed, error.message).with_detail(detail)
        }
        Code::ValidationFailed if error.details.iter().any(|one| one.field.starts_with("line ")) => {
            let listed = error.details.iter().take(LISTED_PROBLEMS);
            let listed: Vec<String> = listed.map(|one| format!("{} {}", one.field, one.message)).collect();
            let more = if error.details.len() > LISTED_PROBLEMS { "; …" } else { "" };
            let message = format!("{}: {}{more}", error.message, listed.join("; "));
            Error { message, ..error }
        }
        _ => error,
    }
}
