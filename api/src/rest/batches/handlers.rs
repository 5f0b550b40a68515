//! The handlers of bulk batches.

use axum::{
    Extension, Json,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Code, Error,
    batch::{Format, SubmitOptions},
    foundation::page::{Page, Take},
    money::{billing::FinishFlag, pricing::Operation},
};
use ports::id::BatchId;

use super::shape::{BatchList, BatchRequest, BatchResponse, ListParameters};
use crate::{
    app::App,
    arrival::is_paid_before_body,
    error::Failure,
    extract::{
        PathId, QueryParameters, RequestOnce, content_type, for_each_parameter, page_size,
        refuse_content_encoding,
    },
    identity::Identity,
    openapi::IdempotencyHeader,
    rest::{body_of_pieces, upload},
};

/// What items ask for.
const OPERATIONS: [Operation; 3] = [Operation::Text, Operation::Image, Operation::Inference];
/// Batches of a page by default.
const DEFAULT_PAGE_SIZE: u64 = 20;
/// Batches of a page at most.
const MAX_PAGE_SIZE: u64 = 100;

/// Submit a bulk batch
///
/// Up to 50,000 requests in OpenAI's line format, as JSON Lines or as JSON. Every item is validated as its endpoint
/// would; if anything is wrong, nothing is submitted. The credits for all items are held until the batch ends; an item
/// is charged when it has succeeded. An API key needs the scope of each item: `moderate` or `infer`.
#[utoipa::path(
    post, path = "/api/v1/batches", tag = "batches", operation_id = "createBatch",
    params(IdempotencyHeader),
    request_body(
        content((String = "application/jsonl"), (String = "application/x-ndjson"), (BatchRequest = "application/json")),
        description = "The items",
    ),
    responses(
        (status = 202, description = "It is queued", body = BatchResponse),
        (status = 403, description = "`FORBIDDEN`: the key lacks the scope of an item."),
        (status = 409, description = "`CONFLICT`: the account has too many open batches, or its batches take too many \
            bytes; or the first request with this Idempotency-Key is still running."),
        (status = 422, description = "`VALIDATION_FAILED`, with the lines at fault, such as `line 17: body.content`: \
            the first hundred; or `IDEMPOTENCY_MISMATCH`."),
        (status = 503, description = "`OVERLOADED`: too many uploads at once, or the upload took over 60 s; retry \
            after `Retry-After` seconds."),
    )
)]
pub(crate) async fn create_batch(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    QueryParameters(query): QueryParameters,
    RequestOnce(once): RequestOnce,
    request: Request,
) -> Result<Response, Failure> {
    let format = format_of(request.headers())?;
    for_each_parameter(query, "none", |_, _| Ok(false))?;
    let finish = request.extensions().get::<FinishFlag>().cloned().unwrap_or_default();
    let options = SubmitOptions { format, once, finish };
    if is_paid_before_body(&request) {
        app.services.billing.require_cheapest(identity.account(), &OPERATIONS).await?;
    }
    let _permit = app.batch_slots.acquire(identity.account()).await?;
    let (file, arriving) = upload::receive(request, app.settings.bulk_body_bytes, &app.batch_slots);
    let submitted = app.services.batches.submit(identity.submitter(&app.services.db).await?, options, file);
    let (batch, ()) = tokio::join!(submitted, arriving);
    Ok((StatusCode::ACCEPTED, Json(BatchResponse::from(batch?))).into_response())
}

/// List bulk batches
///
/// Newest first. A key without the scope `read` or `manage` sees those that it has submitted.
#[utoipa::path(
    get, path = "/api/v1/batches", tag = "batches", operation_id = "listBatches",
    params(ListParameters),
    responses((status = 200, description = "A page of batches", body = BatchList))
)]
pub(crate) async fn list_batches(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    QueryParameters(query): QueryParameters,
) -> Result<Json<BatchList>, Failure> {
    let page = page_of(query)?;
    let batches = app.services.batches.list(&identity.readable_batches(), page).await?;
    let has_more = batches.has_next;
    let data = batches.items.into_iter().map(BatchResponse::from).collect();
    Ok(Json(BatchList { object: "list", data, has_more }))
}

/// A bulk batch
#[utoipa::path(
    get, path = "/api/v1/batches/{id}", tag = "batches", operation_id = "getBatch",
    params(("id" = String, Path, description = "The batch")),
    responses((status = 200, description = "The batch", body = BatchResponse))
)]
pub(crate) async fn get_batch(
    State(app): State<App>,
    PathId(id): PathId<BatchId>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<BatchResponse>, Failure> {
    let batch = app.services.batches.find(&identity.readable_batches(), &id).await?;
    Ok(Json(batch.into()))
}

/// The results of a bulk batch
///
/// JSON Lines `{"custom_id", "response": {"status_code", "request_id", "body"}, "error"}` in the order of the items.
/// While the batch runs, the results so far. `request_id` is that of the charge, which items share. A transfer that
/// ends with an error is incomplete.
#[utoipa::path(
    get, path = "/api/v1/batches/{id}/results", tag = "batches", operation_id = "getBatchResults",
    params(("id" = String, Path, description = "The batch")),
    responses((status = 200, description = "The results", content((String = "application/x-ndjson"))))
)]
pub(crate) async fn get_batch_results(
    State(app): State<App>,
    PathId(id): PathId<BatchId>,
    Extension(identity): Extension<Identity>,
) -> Result<Response, Failure> {
    let results = app.services.batches.results(&identity.readable_batches(), &id).await?;
    let permit = app.export_slots.acquire(identity.account()).await?;
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((headers, body_of_pieces(results, permit, "results ended early")).into_response())
}

/// Cancel a bulk batch
///
/// What has run stays and is charged; the credits held for the rest are released. What runs right now is not charged.
#[utoipa::path(
    post, path = "/api/v1/batches/{id}/cancel", tag = "batches", operation_id = "cancelBatch",
    params(("id" = String, Path, description = "The batch")),
    responses(
        (status = 200, description = "It is cancelled", body = BatchResponse),
        (status = 409, description = "`CONFLICT`: it has completed, failed or expired."),
    )
)]
pub(crate) async fn cancel_batch(
    State(app): State<App>,
    PathId(id): PathId<BatchId>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<BatchResponse>, Failure> {
    let batch = app.services.batches.cancel(&identity.cancellable_batches()?, &id).await?;
    Ok(Json(batch.into()))
}

/// The page of a list of batches that a client asks for.
///
/// # Errors
/// `VALIDATION_FAILED` naming the parameter.
pub(crate) fn page_of(query: Vec<(String, String)>) -> domain::Result<Page<String>> {
    let mut limit = DEFAULT_PAGE_SIZE;
    let mut after = None;
    for_each_parameter(query, "limit, after", |name, value| {
        match name {
            "limit" => limit = page_size(value, MAX_PAGE_SIZE)?,
            "after" => {
                let id = BatchId::read(value)
                    .ok_or_else(|| Error::invalid("after", "must be the id of a batch"))?;
                after = Some(id.to_string());
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Page { after, before: None, take: Take::First(limit) })
}

fn format_of(headers: &HeaderMap) -> domain::Result<Format> {
    refuse_content_encoding(headers)?;
    match content_type(headers).as_str() {
        "application/jsonl" | "application/x-ndjson" | "application/ndjson" | "application/x-jsonlines" => {
            Ok(Format::Jsonl)
        }
        "application/json" => Ok(Format::Json),
        _ => {
            let message =
                "the content type must be application/jsonl, application/x-ndjson or application/json";
            Err(Error::new(Code::UnsupportedMediaType, message))
        }
    }
}
