//! `GET /api/v1/moderate/health`: what the engines say when they are asked to work, remembered for a second.

use std::time::{Duration, Instant};

use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use domain::{
    Context,
    moderation::Mode,
    ports::{TextFault, TextInput},
};
use serde::Serialize;
use tokio::sync::Mutex;
use utoipa::ToSchema;

use crate::app::App;

/// How long a probe's answer is believed.
const FRESH: Duration = Duration::from_secs(1);

/// How long a probe may take.
const LIMIT: Duration = Duration::from_secs(2);

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
    /// When this was written.
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

/// What the last probes said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probed {
    pub(crate) database: bool,
    pub(crate) text: bool,
    pub(crate) image: bool,
    pub(crate) decision: bool,
}

/// Asks the database and the engines whether they work, at most once a second.
pub(crate) struct Probes {
    ctx: Context,
    last: Mutex<Option<(Instant, Probed)>>,
}

impl Probes {
    pub(crate) fn new(ctx: Context) -> Self {
        Self { ctx, last: Mutex::new(None) }
    }

    /// What they say; those who ask at the same time share one probe.
    pub(crate) async fn read(&self) -> Probed {
        let mut last = self.last.lock().await;
        if let Some((at, probed)) = *last
            && at.elapsed() < FRESH
        {
            return probed;
        }
        let (database, text, image, decision) = tokio::join!(
            tokio::time::timeout(LIMIT, self.ctx.db.ping()),
            self.text(),
            tokio::time::timeout(LIMIT, self.ctx.image.engine.probe()),
            tokio::time::timeout(LIMIT, self.ctx.inference.local.probe()),
        );
        let probed = Probed {
            database: database.is_ok_and(|ping| ping.is_ok()),
            text,
            image: image.is_ok_and(|probe| probe.is_ok()),
            decision: decision.is_ok_and(|probe| probe.is_ok()),
        };
        *last = Some((Instant::now(), probed));
        probed
    }

    /// Whether a message is scored in time. An engine that says it is busy works; one that says nothing may not.
    async fn text(&self) -> bool {
        let input = TextInput { content: "are you there?".to_owned(), mode: Mode::Hybrid, explain: false };
        match tokio::time::timeout(LIMIT, self.ctx.text.score(vec![input])).await {
            Ok(Ok(scores)) => scores.len() == 1 && scores[0].categories.0.iter().all(|p| p.is_finite()),
            Ok(Err(TextFault::Busy)) => true,
            Ok(Err(TextFault::Engine(_))) | Err(_) => false,
        }
    }
}

/// Health of the service
///
/// Public and free. Answers 200 whatever the state; read the fields.
#[utoipa::path(
    get, path = "", tag = "health", operation_id = "getHealth", security(()),
    responses((status = 200, description = "The state of the service", body = HealthResponse))
)]
pub(crate) async fn get_health(State(app): State<App>) -> Json<HealthResponse> {
    let Probed { database, text, image, .. } = app.probes.read().await;
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
