//! The backends of inference of the process that answers, as its operators see them.

use std::collections::HashMap;

use async_graphql::{Context, Enum, SimpleObject};
use domain::operations::inference::{BackendCalibration, BackendTally, Inference, NamedBackend};
use futures_util::future::join_all;
use ports::decision::ServerInfo;

use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
};

/// Whether a backend can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum BackendState {
    /// It answers.
    Up,
    /// Its server does not answer, or refuses the key.
    Down,
    /// It failed so often that it is not asked for a while.
    Paused,
}

/// A backend of inferences. All figures are of the process that answers, since it started.
#[derive(SimpleObject)]
pub(crate) struct DeployedBackend {
    /// The name by which requests and cascades name it.
    name: String,
    /// `system_one`, `openai_decisions`, `openai_chat` or `openrouter`; `in_process` for the model in process.
    kind: String,
    /// The server's base URL, without a user or a password; null for the model in process.
    url: Option<String>,
    /// The model for requests that name none; null where the server has not listed its models yet.
    model: Option<String>,
    /// Whether content that is sent to it leaves the deployment's machines.
    external: bool,
    /// The price of an inference in credits; null for the usual one.
    price: Option<f64>,
    /// Whether it can be asked, by a probe that is at most 15 seconds old.
    state: BackendState,
    /// Why it cannot be asked; null if it can.
    fault: Option<String>,
    /// The number of inferences that it was asked for, those that failed included. Requests that were refused, or found
    /// no place among those in progress, are not counted.
    requests: u64,
    /// The number of inferences that it did not answer.
    errors: u64,
    /// The milliseconds within which half of its last 1,000 answers came; null before the first.
    latency_p50_ms: Option<f64>,
    /// The milliseconds within which 95 of 100 of them came; null before the first.
    latency_p95_ms: Option<f64>,
    /// The price of its answers in credits, which accounts were charged.
    credits: f64,
    /// What its answers cost the operator in US dollars; null where its server does not say so.
    cost_usd: Option<f64>,
    /// The exact model that it was calibrated as; null if it was not.
    calibrated_as: Option<String>,
    /// When it was calibrated; null if it was not.
    calibrated_at: Option<DateTime>,
}

/// The backends: the local one, OpenRouter where it is configured, and the operator's by name.
pub(super) async fn backends(ctx: &Context<'_>) -> FieldResult<Vec<DeployedBackend>> {
    let inference = &services(ctx)?.inference;
    let calibrations = match &inference.calibrations {
        Some(calibrations) => calibrations.list().await.map_err(field_error)?,
        None => Vec::new(),
    };
    let mut calibrations: HashMap<String, BackendCalibration> =
        calibrations.into_iter().map(|one| (one.backend.clone(), one)).collect();
    let backends = join_all(inference.all().into_iter().map(|backend| backend_of(inference, backend))).await;
    let calibrated = backends.into_iter().map(|mut backend| {
        if let Some(calibration) = calibrations.remove(&backend.name) {
            backend.calibrated_as = Some(calibration.model);
            backend.calibrated_at = Some(calibration.created_at.into());
        }
        backend
    });
    Ok(calibrated.collect())
}

async fn backend_of(inference: &Inference, of: NamedBackend) -> DeployedBackend {
    let NamedBackend { backend, price, external, .. } = of;
    let fault = backend.probe().await.err().map(|error| error.to_string());
    let server = backend.server();
    let state = match (&server, &fault) {
        (Some(ServerInfo { paused: true, .. }), _) => BackendState::Paused,
        (_, Some(_)) => BackendState::Down,
        (_, None) => BackendState::Up,
    };
    let BackendTally { requests, errors, p50_ms, p95_ms, charged, cost } =
        inference.tallies.of(backend.name());
    DeployedBackend {
        name: backend.name().to_owned(),
        kind: server.as_ref().map_or("in_process", |server| server.kind.into()).to_owned(),
        url: server.map(|server| server.url),
        model: backend.models().into_iter().next().map(|model| model.name),
        external,
        price: price.map(|price| price.credits()),
        state,
        fault,
        requests,
        errors,
        latency_p50_ms: p50_ms,
        latency_p95_ms: p95_ms,
        credits: charged.credits(),
        cost_usd: cost,
        calibrated_as: None,
        calibrated_at: None,
    }
}
