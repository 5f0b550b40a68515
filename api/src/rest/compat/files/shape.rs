//! The JSON shapes of OpenAI's files, as the clients openai 3.54.0 (Python) and 6.49.0 (Node) read them.

use domain::batch::{FileKind, StoredFile};
use ports::id::FileId;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

/// A file.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiFile {
    #[schema(example = "file_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub id: String,
    /// Always `file`.
    #[schema(example = "file")]
    pub object: &'static str,
    /// Its size.
    #[schema(example = 140)]
    pub bytes: i64,
    /// In seconds since 1970.
    pub created_at: i64,
    /// When it is deleted, in seconds since 1970.
    pub expires_at: i64,
    #[schema(example = "batch.jsonl")]
    pub filename: String,
    /// `batch` for an uploaded file, `batch_output` for results.
    #[schema(example = "batch")]
    pub purpose: &'static str,
    /// Always `processed`.
    #[schema(example = "processed")]
    pub status: &'static str,
}

/// A page of files.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiFileList {
    /// Always `list`.
    #[schema(example = "list")]
    pub object: &'static str,
    /// The files.
    pub data: Vec<OpenAiFile>,
    /// The id of the first; null without one.
    pub first_id: Option<String>,
    /// The id of the last; null without one.
    pub last_id: Option<String>,
    /// Whether there are more; `after` with the last id gives them.
    pub has_more: bool,
}

/// A file that was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiFileDeleted {
    #[schema(example = "file_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub id: String,
    /// Always `file`.
    #[schema(example = "file")]
    pub object: &'static str,
    /// Always true.
    #[schema(example = true)]
    pub deleted: bool,
}

/// An uploaded file.
#[derive(ToSchema)]
#[allow(dead_code)]
pub struct OpenAiFileForm {
    /// The file: requests as JSON Lines.
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    file: String,
    /// Always `batch`.
    #[schema(pattern = "^batch$")]
    purpose: String,
    /// Seconds that the file is kept, 3,600 to 2,592,000; at most as long as results are.
    #[serde(rename = "expires_after[seconds]")]
    #[schema(required = false)]
    seconds: String,
}

/// The parameters of a list of files.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code)]
pub(crate) struct FileListParameters {
    /// Files of the page, 1 to 10,000; 10,000 by default.
    #[param(required = false, minimum = 1, maximum = 10_000)]
    limit: u64,
    /// Only files after the one with this id.
    #[param(required = false)]
    after: String,
    /// `desc`, newest first, or `asc`.
    #[param(required = false, default = "desc", pattern = "^(asc|desc)$")]
    order: String,
    /// Only files with this purpose: `batch` or `batch_output`.
    #[param(required = false, pattern = "^(batch|batch_output)$")]
    purpose: String,
}

impl From<StoredFile> for OpenAiFile {
    fn from(file: StoredFile) -> Self {
        Self {
            id: file.id.to_string(),
            object: "file",
            bytes: file.bytes,
            created_at: file.created_at.timestamp(),
            expires_at: file.expires_at.timestamp(),
            filename: file.filename,
            purpose: match file.kind {
                FileKind::Input => "batch",
                FileKind::Output | FileKind::Errors => "batch_output",
            },
            status: "processed",
        }
    }
}

impl OpenAiFileList {
    pub(super) fn new(files: Vec<StoredFile>, has_more: bool) -> Self {
        let data: Vec<OpenAiFile> = files.into_iter().map(Into::into).collect();
        let first_id = data.first().map(|file| file.id.clone());
        let last_id = data.last().map(|file| file.id.clone());
        Self { object: "list", data, first_id, last_id, has_more }
    }
}

impl OpenAiFileDeleted {
    pub(super) fn new(id: &FileId) -> Self {
        Self { id: id.to_string(), object: "file", deleted: true }
    }
}
