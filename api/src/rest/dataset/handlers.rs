//! The handlers of exports and imports.

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::{
    Error,
    foundation::actor::Actor,
    learning::dataset::{export::ExportFormat, import},
};
use ports::id::DatasetId;

use super::{
    parameters::{ExportParameters, ExportQuery, ImportParameters, ImportRequest},
    shape::DatasetImportResponse,
};
use crate::{
    app::App,
    error::Failure,
    extract::{AuthenticatedActor, PathId},
    openapi::IdempotencyHeader,
    rest::{streamed_body, upload},
};

/// Export a Judge's dataset
///
/// Streams the samples that match the parameters as JSON Lines, CSV or Apache Parquet. A transfer that ends with an
/// error is incomplete. Needs an API key with the scope `read` or `manage`. Free.
#[utoipa::path(
    get, path = "/api/v1/judges/{id}/dataset", tag = "datasets", operation_id = "exportDataset",
    params(("id" = String, Path, description = "The Judge"), ExportParameters),
    responses(
        (status = 200, description = "The file", content(
            (String = "application/x-ndjson"), (String = "text/csv"), (Vec<u8> = "application/vnd.apache.parquet"),
        )),
        (status = 503, description = "`OVERLOADED`: too many exports at once; retry after `Retry-After` seconds."),
    )
)]
pub(crate) async fn export_dataset(
    State(app): State<App>,
    AuthenticatedActor(actor): AuthenticatedActor,
    query: ExportQuery,
    PathId(dataset): PathId<DatasetId>,
) -> Result<Response, Failure> {
    let datasets = &app.services.datasets;
    let snapshot = datasets.export(&actor.account, &dataset, query.samples, query.format).await?;
    let permit = app.export_slots.acquire(&actor.account).await?;
    let kind = match query.format {
        ExportFormat::Jsonl => "application/x-ndjson",
        ExportFormat::Csv => "text/csv; charset=utf-8; header=present",
        ExportFormat::Parquet => "application/vnd.apache.parquet",
    };
    let disposition = format!("attachment; filename=\"{}\"", snapshot.file_name());
    let disposition = HeaderValue::try_from(disposition).map_err(Error::internal)?;
    let body = streamed_body(snapshot.stream(permit), "an export ended early");
    let headers =
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, body).into_response())
}

/// Import samples into a Judge's dataset
///
/// Accepts JSON Lines or CSV, as `format` or the content type says. Imports the whole file or, when anything is
/// wrong with it, nothing; `details` then names the lines. Content that the dataset already has is not imported
/// again, but gets a ground truth if it had none. Needs an API key with the scope `manage`. Free.
/// Sent again under the same `Idempotency-Key`, the same file is answered as it was the first time.
#[utoipa::path(
    post, path = "/api/v1/judges/{id}/dataset", tag = "datasets", operation_id = "importDataset",
    params(("id" = String, Path, description = "The Judge"), ImportParameters, IdempotencyHeader),
    request_body(content((String = "application/x-ndjson"), (String = "text/csv")), description = "The file"),
    responses(
        (status = 200, description = "What was imported", body = DatasetImportResponse),
        (status = 409, description = "`CONFLICT`: the Judge is archived, or changed while the file was read; the \
            samples would exceed the account's quota; or the first request with this Idempotency-Key is still \
            running."),
        (status = 415, description = "`UNSUPPORTED_MEDIA_TYPE`: neither `format` nor the content type names a format \
            that the path accepts."),
        (status = 422, description = "`VALIDATION_FAILED`, with the parameters or the lines at fault, such as `line \
            17: ground_truth.team`: the first hundred; or `IDEMPOTENCY_MISMATCH`."),
        (status = 503, description = "`OVERLOADED`: too many imports at once; retry after `Retry-After` seconds."),
    )
)]
pub(crate) async fn import_dataset(
    State(app): State<App>,
    AuthenticatedActor(actor): AuthenticatedActor,
    ImportRequest(options): ImportRequest,
    request: Request,
) -> Result<Json<DatasetImportResponse>, Failure> {
    let dry_run = options.dry_run;
    let _permit = app.import_slots.acquire(&actor.account).await?;
    let (file, arriving) = upload::receive(request, app.settings.import_body_bytes, &app.import_slots);
    let (imported, ()) = tokio::join!(run_import(&app, &actor, options, file), arriving);
    Ok(Json(DatasetImportResponse::new(imported?, dry_run)))
}

async fn run_import(
    app: &App,
    actor: &Actor,
    options: import::ImportOptions,
    file: upload::Upload,
) -> domain::Result<import::Imported> {
    app.services.datasets.import(actor, options, file).await
}
