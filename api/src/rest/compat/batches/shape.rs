//! The JSON shapes of OpenAI's batches, as the clients openai 3.54.0 (Python) and 6.49.0 (Node) read them.

use chrono::{DateTime, Utc};
use domain::batch::{Batch, BatchStatus, ResultFiles};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use crate::{extract::or_default, openapi::shapes};

/// A batch to be created.
#[derive(Debug, Deserialize, ToSchema)]
pub struct OpenAiBatchRequest {
    /// A file that was uploaded with the purpose `batch`.
    #[schema(example = "file_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub input_file_id: String,
    /// The path of all items: `/v1/moderations`, `/v1/decisions`, `/api/v1/moderate/text`, `/api/v1/inference` or
    /// `/api/v1/judges/{id}/inference`.
    #[schema(
        pattern = "^/(v1/(moderations|decisions)|api/v1/(moderate/text|inference|judges/[^/]+/inference))$",
        example = "/v1/moderations"
    )]
    pub endpoint: String,
    /// Always `24h`.
    #[schema(pattern = "^24h$", example = "24h")]
    pub completion_window: String,
    /// Up to 16 strings of your own.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(schema_with = shapes::batch_metadata, required = false)]
    pub metadata: Map<String, Value>,
    /// Empty; a flattened field makes serde accept objects alone.
    #[serde(flatten)]
    #[schema(ignore)]
    #[allow(dead_code)]
    only_objects: (),
}

/// A batch. Times are in seconds since 1970.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiBatch {
    #[schema(example = "batch_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub id: String,
    /// Always `batch`.
    #[schema(example = "batch")]
    pub object: &'static str,
    /// The path of all items.
    #[schema(example = "/v1/moderations")]
    pub endpoint: String,
    /// Why it failed.
    pub errors: Option<OpenAiBatchErrors>,
    /// The file that it was created from.
    #[schema(example = "file_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub input_file_id: String,
    /// Always `24h`.
    #[schema(example = "24h")]
    pub completion_window: &'static str,
    /// `in_progress`, `completed`, `failed`, `cancelled` or `expired`.
    #[schema(example = "in_progress")]
    pub status: &'static str,
    /// The file with the answers, once it has ended and there is one.
    pub output_file_id: Option<String>,
    /// The file with the failures, once it has ended and there is one.
    pub error_file_id: Option<String>,
    pub created_at: i64,
    /// When its first item was run.
    pub in_progress_at: Option<i64>,
    /// When it expires if it has not ended.
    pub expires_at: i64,
    pub finalizing_at: Option<i64>,
    pub completed_at: Option<i64>,
    pub failed_at: Option<i64>,
    pub expired_at: Option<i64>,
    pub cancelling_at: Option<i64>,
    pub cancelled_at: Option<i64>,
    /// Items.
    pub request_counts: OpenAiBatchCounts,
    /// The strings that came with the batch.
    #[schema(value_type = std::collections::HashMap<String, String>)]
    pub metadata: Map<String, Value>,
}

/// Items of a batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiBatchCounts {
    pub total: i32,
    /// Items that succeeded.
    pub completed: i32,
    /// Items that failed; they are not charged.
    pub failed: i32,
}

/// Why a batch failed.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiBatchErrors {
    /// Always `list`.
    #[schema(example = "list")]
    pub object: &'static str,
    pub data: Vec<OpenAiBatchError>,
}

/// A reason why a batch failed.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiBatchError {
    /// A code for programs.
    #[schema(example = "BATCH_FAILED")]
    pub code: &'static str,
    /// A message for people.
    pub message: String,
}

/// A page of batches.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenAiBatchList {
    /// Always `list`.
    #[schema(example = "list")]
    pub object: &'static str,
    /// The batches, newest first.
    pub data: Vec<OpenAiBatch>,
    /// The id of the first; null without one.
    pub first_id: Option<String>,
    /// The id of the last; null without one.
    pub last_id: Option<String>,
    /// Whether there are more; `after` with the last id gives them.
    pub has_more: bool,
}

/// The parameters of a list of batches.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code)]
pub(crate) struct BatchListParameters {
    /// Batches of the page, 1 to 100; 20 by default.
    #[param(required = false, minimum = 1, maximum = 100)]
    limit: u64,
    /// Only batches after (older than) the one with this id.
    #[param(required = false)]
    after: String,
}

impl OpenAiBatch {
    /// A batch with the files that it has written.
    pub(super) fn new(batch: Batch, files: ResultFiles) -> Self {
        let status = batch.status;
        let ended = batch.finished_at;
        let (input_file_id, endpoint) =
            batch.input.map(|input| (input.file.to_string(), input.endpoint)).unwrap_or_default();
        let errors = batch.error.map(|message| OpenAiBatchErrors {
            object: "list",
            data: vec![OpenAiBatchError { code: "BATCH_FAILED", message }],
        });
        Self {
            id: batch.id.to_string(),
            object: "batch",
            endpoint,
            errors,
            input_file_id,
            completion_window: "24h",
            status: match status {
                BatchStatus::Queued | BatchStatus::Running => "in_progress",
                BatchStatus::Completed => "completed",
                BatchStatus::Failed => "failed",
                BatchStatus::Cancelled => "cancelled",
                BatchStatus::Expired => "expired",
            },
            output_file_id: files.output.map(String::from),
            error_file_id: files.errors.map(String::from),
            created_at: batch.created_at.timestamp(),
            in_progress_at: batch.started_at.as_ref().map(DateTime::timestamp),
            expires_at: batch.expires_at.timestamp(),
            finalizing_at: ended_as(status, BatchStatus::Completed, ended),
            completed_at: ended_as(status, BatchStatus::Completed, ended),
            failed_at: ended_as(status, BatchStatus::Failed, ended),
            expired_at: ended_as(status, BatchStatus::Expired, ended),
            cancelling_at: ended_as(status, BatchStatus::Cancelled, ended),
            cancelled_at: ended_as(status, BatchStatus::Cancelled, ended),
            request_counts: OpenAiBatchCounts {
                total: batch.total,
                completed: batch.completed,
                failed: batch.failed,
            },
            metadata: batch.metadata,
        }
    }
}

/// When the batch ended, if it ended as `wanted`.
fn ended_as(status: BatchStatus, wanted: BatchStatus, ended: Option<DateTime<Utc>>) -> Option<i64> {
    ended.filter(|_| status == wanted).map(|at| at.timestamp())
}

impl OpenAiBatchList {
    pub(super) fn new(data: Vec<OpenAiBatch>, has_more: bool) -> Self {
        let first_id = data.first().map(|batch| batch.id.clone());
        let last_id = data.last().map(|batch| batch.id.clone());
        Self { object: "list", data, first_id, last_id, has_more }
    }
}
