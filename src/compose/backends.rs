//! Who answers questions besides the model in process, as the settings have it.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, ensure};
use domain::ports::DecisionBackend;
use engine::backend::{BackendSettings, OpenRouter, SystemOne};

use crate::config::Config;

/// The server that stands in for the model in process, if one is set.
pub(super) fn local(config: &Config) -> anyhow::Result<Option<Arc<dyn DecisionBackend>>> {
    let Some(url) = set(&config.local_url) else { return Ok(None) };
    let model = set(&config.local_model).map(str::to_owned);
    let server = SystemOne::new(url, set(&config.local_api_key), model, settings(config)?);
    Ok(Some(Arc::new(server.context("the settings are not valid")?)))
}

/// OpenRouter, if there is a key for it.
pub(super) fn openrouter(config: &Config) -> anyhow::Result<Option<Arc<dyn DecisionBackend>>> {
    let Some(key) = set(&config.openrouter_api_key) else { return Ok(None) };
    let model = config.openrouter_model.clone();
    let backend = OpenRouter::new(&config.openrouter_url, key, model, settings(config)?);
    Ok(Some(Arc::new(backend.context("the settings are not valid")?)))
}

/// The certainty under which `backend: auto` asks OpenRouter too, if it ever does.
pub(super) fn escalate_below(config: &Config) -> anyhow::Result<Option<f64>> {
    let below = config.escalate_below;
    ensure!((0.0..=1.0).contains(&below), "escalate_below must be from 0 to 1, not {below}");
    Ok((below > 0.0).then_some(below))
}

fn settings(config: &Config) -> anyhow::Result<BackendSettings> {
    let seconds = config.backend_timeout_s;
    // An Idempotency-Key is held for 30 s without a sign of life.
    ensure!((1..=25).contains(&seconds), "backend_timeout_s must be from 1 to 25, not {seconds}");
    let one_after_another = set(&config.local_url).is_some() && config.escalate_below > 0.0;
    Ok(BackendSettings {
        timeout: Duration::from_secs(seconds) / if one_after_another { 2 } else { 1 },
        retries: config.backend_retries,
        concurrency: config.backend_concurrency,
        breaker_failures: config.backend_breaker_failures,
        breaker_cool_down: Duration::from_secs(config.backend_breaker_cool_down_s),
    })
}

fn set(value: &str) -> Option<&str> {
    (!value.is_empty()).then_some(value)
}
