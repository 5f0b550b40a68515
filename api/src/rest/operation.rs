//! Liveness, readiness and metrics, for operators' tools.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use domain::services::ProbeResults;
use serde::Serialize;
use utoipa::ToSchema;

use crate::process_status::ProcessStatus;

pub(crate) const LIVE_PATH: &str = "/livez";
pub(crate) const READY_PATH: &str = "/readyz";
pub(crate) const METRICS_PATH: &str = "/metrics";

/// The paths of this module.
pub(crate) const PATHS: [&str; 3] = [LIVE_PATH, READY_PATH, METRICS_PATH];

/// The process runs.
#[derive(Debug, Serialize, ToSchema)]
pub struct Live {
    /// Always `live`.
    pub status: &'static str,
}

/// Whether requests can be answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ready {
    /// The database and the text engine answer, the database can be written, charges can be made, and the server is not
    /// being stopped.
    pub ready: bool,
    /// Why it is not ready; absent when it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub reason: Option<&'static str>,
    /// The database answers.
    pub database: bool,
    /// The database can be written. On a full disk it cannot, and requests that store nothing are answered all the
    /// same.
    pub storage: bool,
    /// The tasks that make charges run.
    pub billing: bool,
    /// The text engine answers.
    pub text_engine: bool,
    /// The image engine answers. A server without image models is ready for everything else.
    pub image_engine: bool,
    /// The decision engine answers. A server without it is ready for everything else.
    pub decision_engine: bool,
    /// The queue of background jobs answers; null when workers find jobs in the database. Requests are answered without
    /// it, and jobs wait.
    pub queue: Option<bool>,
}

/// Whether the process runs
#[utoipa::path(
    get, path = LIVE_PATH, tag = "operation", operation_id = "getLive", security(()),
    responses((status = 200, description = "It runs", body = Live))
)]
pub(crate) async fn get_live() -> Json<Live> {
    Json(Live { status: "live" })
}

/// Whether requests can be answered
#[utoipa::path(
    get, path = READY_PATH, tag = "operation", operation_id = "getReady", security(()),
    responses(
        (status = 200, description = "They can", body = Ready),
        (status = 503, description = "They cannot", body = Ready),
    )
)]
pub(crate) async fn get_ready(State(process): State<ProcessStatus>) -> impl IntoResponse {
    let results = process.probe().await;
    let reason = not_ready(&results, process.is_stopping());
    let status = if reason.is_none() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let ready = Ready {
        ready: reason.is_none(),
        reason,
        database: results.database,
        storage: results.storage,
        billing: results.billing,
        text_engine: results.text,
        image_engine: results.image,
        decision_engine: results.decision,
        queue: results.queue,
    };
    (status, Json(ready))
}

/// Why requests cannot be answered, if they cannot.
fn not_ready(results: &ProbeResults, stopping: bool) -> Option<&'static str> {
    if stopping {
        Some("the process is being stopped")
    } else if !results.database {
        Some("the database does not answer")
    } else if !results.storage {
        Some("nothing can be stored, because the disk is full or fails")
    } else if !results.billing {
        Some("the tasks that make charges have ended")
    } else if !results.text {
        Some("the text engine does not answer")
    } else {
        None
    }
}

/// Metrics in Prometheus' text format
#[utoipa::path(
    get, path = METRICS_PATH, tag = "operation", operation_id = "getMetrics", security(()),
    responses((status = 200, description = "Prometheus text format 0.0.4", content_type = "text/plain", body = String))
)]
pub(crate) async fn get_metrics(State(process): State<ProcessStatus>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], process.metrics())
}
