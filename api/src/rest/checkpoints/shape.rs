//! The JSON shapes of Checkpoints.

use chrono::{DateTime, Utc};
use domain::learning::checkpoint::{Checkpoint, Details};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{agreement::CheckpointMetrics, extract::or_default};

/// A Checkpoint to be trained.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CheckpointRequest {
    /// Whether to activate it if it is better than the live model by a confidence bound, on a hold-out of at least 20
    /// samples, or if it is no worse and improves the answers of a backend.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = false)]
    pub auto_activate: bool,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten)]
    #[schema(ignore)]
    pub only_objects: (),
}

/// A Checkpoint: a Judge's own training.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckpointResponse {
    /// Identifier of the Checkpoint.
    #[schema(example = "ckpt_01kahd7f3ye9pvsk8h0a5m5x30")]
    pub id: String,
    /// Always `checkpoint`.
    #[schema(example = "checkpoint")]
    pub object: &'static str,
    /// The Judge that it is trained for.
    pub judge_id: String,
    /// The version of the Judge whose questions it is trained for.
    pub judge_version: i32,
    /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    #[schema(example = "running")]
    pub status: &'static str,
    /// The share of the work that is done, from 0 to 1.
    #[schema(example = 0.4)]
    pub progress: f64,
    /// About how many seconds training still takes, at the speed so far; null unless it is running.
    #[schema(example = 40)]
    pub estimated_seconds_left: Option<u32>,
    /// Whether it answers for its Judge now.
    pub active: bool,
    /// Whether it is activated when it is better than what answers now.
    pub auto_activate: bool,
    /// Credits that were held when it was submitted: charged if it succeeds, released otherwise.
    #[schema(example = 5000.0)]
    pub price: f64,
    /// The comparison with the model that was live, on samples that were held out of training; null until it succeeds.
    pub metrics: Option<CheckpointMetrics>,
    /// What training tried for each key, and what it left out; null until it succeeds.
    #[schema(value_type = Option<std::collections::HashMap<String, Value>>)]
    pub report: Option<Value>,
    /// The SHA-256 of what was trained, in hex; null until it succeeds.
    pub artefact: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<String>,
    /// Who submitted it: the id of a user or an API key.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    /// When it was last activated.
    pub activated_at: Option<DateTime<Utc>>,
}

impl CheckpointResponse {
    pub(super) fn new(of: Checkpoint, details: Option<Details>, active: bool) -> Self {
        let (metrics, report) = details.map_or((None, None), |details| (details.metrics, details.report));
        Self {
            id: of.id.to_string(),
            object: "checkpoint",
            judge_id: of.judge.to_string(),
            judge_version: of.version,
            status: of.state.as_str(),
            progress: of.progress,
            estimated_seconds_left: of.seconds_left(),
            active,
            auto_activate: of.auto_activate,
            price: of.price.credits(),
            metrics: metrics.map(CheckpointMetrics::from),
            report: report.and_then(|report| serde_json::to_value(report).ok()),
            artefact: of.artefact,
            error: of.error,
            created_by: of.created_by,
            created_at: of.created_at,
            started_at: of.started_at,
            finished_at: of.finished_at,
            activated_at: of.activated_at,
        }
    }
}
