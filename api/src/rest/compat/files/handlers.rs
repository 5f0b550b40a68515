//! The handlers of OpenAI's files.

use axum::{
    Extension, Json,
    extract::{Request, State},
    http::header,
    response::{IntoResponse, Response},
};
use domain::{
    Code, Error,
    batch::{FileKind, FileUpload},
    foundation::page::{Page, Take},
};
use ports::id::FileId;

use super::{
    form,
    shape::{FileListParameters, OpenAiFile, OpenAiFileDeleted, OpenAiFileForm, OpenAiFileList},
};
use crate::{
    app::App,
    error::Failure,
    extract::{
        PathId, QueryParameters, accepts_form, for_each_parameter, page_size, refuse_content_encoding,
    },
    identity::Identity,
    rest::body_of_pieces,
};

/// Files of a page at most, and by default.
const MAX_PAGE_SIZE: u64 = 10_000;

/// Upload a file
///
/// For OpenAI's clients: the requests of a batch, as JSON Lines. Free. The file is deleted after `expires_after`, or
/// when the results of a batch would be.
#[utoipa::path(
    post, path = "/v1/files", tag = "compatibility", operation_id = "createFile",
    request_body(content((OpenAiFileForm = "multipart/form-data"))),
    responses(
        (status = 200, description = "The file", body = OpenAiFile),
        (status = 409, description = "`CONFLICT`: the account has too many files, or its files and batches take \
            too many bytes."),
        (status = 503, description = "`OVERLOADED`: too many uploads at once, or the upload took over 60 s; retry \
            after `Retry-After` seconds."),
    )
)]
pub(crate) async fn create_file(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    QueryParameters(query): QueryParameters,
    request: Request,
) -> Result<Json<OpenAiFile>, Failure> {
    refuse_content_encoding(request.headers())?;
    if !accepts_form(request.headers()) {
        let message = "the content type must be multipart/form-data";
        return Err(Error::new(Code::UnsupportedMediaType, message).into());
    }
    for_each_parameter(query, "none", |_, _| Ok(false))?;
    let _permit = app.batch_slots.acquire(identity.account()).await?;
    let submitter = identity.submitter(&app.services.db).await?;
    let upload = FileUpload::begin(app.services.files.clone(), &submitter).await?;
    let limit = app.settings.bulk_body_bytes;
    let file = form::receive(request, upload, app.batch_slots.clone(), limit).await?;
    Ok(Json(file.into()))
}

/// List files
///
/// For OpenAI's clients. Uploaded files and the results of batches. A key without the scope `read` or `manage` sees its
/// own.
#[utoipa::path(
    get, path = "/v1/files", tag = "compatibility", operation_id = "listFiles",
    params(FileListParameters),
    responses((status = 200, description = "A page of files", body = OpenAiFileList))
)]
pub(crate) async fn list_files(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    QueryParameters(query): QueryParameters,
) -> Result<Json<OpenAiFileList>, Failure> {
    let mut limit = MAX_PAGE_SIZE;
    let mut after = None;
    let mut newest_first = true;
    let mut kinds: &[FileKind] = &[FileKind::Input, FileKind::Output, FileKind::Errors];
    for_each_parameter(query, "limit, after, order, purpose", |name, value| {
        match (name, value) {
            ("limit", value) => limit = page_size(value, MAX_PAGE_SIZE)?,
            ("after", value) => {
                let id =
                    FileId::read(value).ok_or_else(|| Error::invalid("after", "must be the id of a file"))?;
                after = Some(id.to_string());
            }
            ("order", "asc") => newest_first = false,
            ("order", "desc") => newest_first = true,
            ("order", _) => return Err(Error::invalid("order", "must be one of: asc, desc")),
            ("purpose", "batch") => kinds = &[FileKind::Input],
            ("purpose", "batch_output") => kinds = &[FileKind::Output, FileKind::Errors],
            ("purpose", _) => return Err(Error::invalid("purpose", "must be one of: batch, batch_output")),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let page = Page { after, before: None, take: Take::First(limit) };
    let files = app.services.files.list(&identity.readable_batches(), kinds, newest_first, page).await?;
    Ok(Json(OpenAiFileList::new(files.items, files.has_next)))
}

/// A file
#[utoipa::path(
    get, path = "/v1/files/{file_id}", tag = "compatibility", operation_id = "getFile",
    params(("file_id" = String, Path, description = "The file")),
    responses((status = 200, description = "The file", body = OpenAiFile))
)]
pub(crate) async fn get_file(
    State(app): State<App>,
    PathId(id): PathId<FileId>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<OpenAiFile>, Failure> {
    let file = app.services.files.find(&identity.readable_batches(), &id).await?;
    Ok(Json(file.into()))
}

/// Delete a file
///
/// For OpenAI's clients. A batch that was created from it goes on. A key without the scope `manage` deletes its own.
#[utoipa::path(
    delete, path = "/v1/files/{file_id}", tag = "compatibility", operation_id = "deleteFile",
    params(("file_id" = String, Path, description = "The file")),
    responses((status = 200, description = "It is deleted", body = OpenAiFileDeleted))
)]
pub(crate) async fn delete_file(
    State(app): State<App>,
    PathId(id): PathId<FileId>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<OpenAiFileDeleted>, Failure> {
    app.services.files.delete(&identity.cancellable_batches()?, &id).await?;
    Ok(Json(OpenAiFileDeleted::new(&id)))
}

/// The bytes of a file
///
/// For OpenAI's clients: an uploaded file as it came, or results as JSON Lines. A transfer that ends with an error is
/// incomplete.
#[utoipa::path(
    get, path = "/v1/files/{file_id}/content", tag = "compatibility", operation_id = "getFileContent",
    params(("file_id" = String, Path, description = "The file")),
    responses((status = 200, description = "The bytes", content((String = "application/x-ndjson"))))
)]
pub(crate) async fn get_file_content(
    State(app): State<App>,
    PathId(id): PathId<FileId>,
    Extension(identity): Extension<Identity>,
) -> Result<Response, Failure> {
    let content = app.services.files.content(&identity.readable_batches(), &id).await?;
    let permit = app.export_slots.acquire(identity.account()).await?;
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((headers, body_of_pieces(content, permit, "a file ended early")).into_response())
}
