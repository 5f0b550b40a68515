//! The JSON shapes of bulk batches, and their parameters.

use chrono::{DateTime, Utc};
use domain::batch::Batch;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use crate::openapi::shapes;

/// A bulk batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchResponse {
    /// Identifier of the batch.
    #[schema(example = "batch_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub id: String,
    /// Always `batch`.
    #[schema(example = "batch")]
    pub object: &'static str,
    /// `queued`, `running`, `completed`, `failed`, `cancelled` or `expired`.
    #[schema(example = "running")]
    pub status: &'static str,
    /// Items.
    #[schema(example = 120)]
    pub total: i32,
    /// Items that have run.
    pub counts: BatchCounts,
    /// Credits for an item of each kind.
    pub price: BatchPrice,
    /// Credits held for the items that have not run.
    #[schema(example = 60.0)]
    pub credits_held: f64,
    /// Credits charged so far, for the items that succeeded.
    #[schema(example = 12.5)]
    pub credits_charged: f64,
    /// The strings that came with the batch.
    #[schema(value_type = std::collections::HashMap<String, String>)]
    pub metadata: Map<String, Value>,
    /// Why the batch failed; how many items had not run when it expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<String>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    /// When the batch expires if it has not ended.
    pub expires_at: DateTime<Utc>,
}

/// Items that have run.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchCounts {
    /// Items that succeeded.
    pub completed: i32,
    /// Items that failed; they are not charged.
    pub failed: i32,
}

/// Credits for an item of each kind, as they were when the batch was submitted.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchPrice {
    /// A text, without the rules in plain language of its policy, which are charged as in a single request.
    pub text: f64,
    /// A picture.
    pub image: f64,
    /// An inference.
    pub inference: f64,
}

/// A page of batches.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchList {
    /// Always `list`.
    #[schema(example = "list")]
    pub object: &'static str,
    /// The batches, newest first.
    pub data: Vec<BatchResponse>,
    /// Whether there are more; `after` with the last id gives them.
    pub has_more: bool,
}

impl From<Batch> for BatchResponse {
    fn from(batch: Batch) -> Self {
        Self {
            id: batch.id.to_string(),
            object: "batch",
            status: batch.status.as_str(),
            total: batch.total,
            counts: BatchCounts { completed: batch.completed, failed: batch.failed },
            price: BatchPrice {
                text: batch.text_price.credits(),
                image: batch.image_price.credits(),
                inference: batch.inference_price.credits(),
            },
            credits_held: batch.held.credits(),
            credits_charged: batch.charged.credits(),
            metadata: batch.metadata,
            error: batch.error,
            created_at: batch.created_at,
            started_at: batch.started_at,
            finished_at: batch.finished_at,
            expires_at: batch.expires_at,
        }
    }
}

/// A batch in JSON. As JSON Lines, each line is an item.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub struct BatchRequest {
    /// The items.
    #[schema(schema_with = shapes::batch_items)]
    pub items: Vec<Value>,
    /// Up to 16 strings of your own.
    #[schema(schema_with = shapes::batch_metadata, required = false)]
    pub metadata: Map<String, Value>,
}

/// The parameters of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code)]
pub(crate) struct ListParameters {
    /// Batches of the page, 1 to 100; 20 by default.
    #[param(required = false, minimum = 1, maximum = 100)]
    limit: u64,
    /// Only batches after (older than) the one with this id.
    #[param(required = false)]
    after: String,
}
