//! `GET /api/v1/moderate/health`: the health of the service, from probes.

use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use domain::services::ProbeResults;
use serde::Serialize;
use utoipa::ToSchema;

use crate::process_status::ProcessStatus;

/// The state of the service.
#[derive(Debug, Serialize, ToSchema)]
pub struct HealthResponse {
    /// `healthy`, or `degraded` when the database or the text engine does not answer. A server without image models
    /// is healthy.
    #[schema(example = "healthy")]
    pub gateway_status: &'static str,
    /// Always `gavel`.
    #[schema(example = "gavel")]
    pub service: &'static str,
    /// When this response was written.
    pub timestamp: DateTime<Utc>,
    /// The engines.
    pub services: EngineHealth,
}

/// The state of each engine.
#[derive(Debug, Serialize, ToSchema)]
pub struct EngineHealth {
    /// The text engine.
    pub text_moderation: Health,
    /// The image engine.
    pub image_moderation: Health,
}

/// The state of one engine. It runs in process, so there is no `url`.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Health {
    /// Whether it just answered a probe.
    pub healthy: bool,
}

/// Health of the service
///
/// Public and free. Always answers 200; the fields tell the state.
#[utoipa::path(
    get, path = "/api/v1/moderate/health", tag = "health", operation_id = "getHealth", security(()),
    responses((status = 200, description = "The state of the service", body = HealthResponse))
)]
pub(crate) async fn get_health(State(process): State<ProcessStatus>) -> Json<HealthResponse> {
    let ProbeResults { database, text, image, .. } = process.probe().await;
    Json(HealthResponse {
        gateway_status: if database && text { "healthy" } else { "degraded" },
        service: "gavel",
        timestamp: Utc::now(),
        services: EngineHealth {
            text_moderation: Health { healthy: text },
            image_moderation: Health { healthy: image },
        },
    })
}
