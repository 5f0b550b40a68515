//! Who answers questions besides the model in process, as the settings have it.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, ensure};
use domain::{moderation::Escalation, ports::DecisionBackend};
use outbound::backend::{BackendSettings, OpenRouter, SystemOne};

use crate::config::Config;

/// What the second opinion on messages is called in metrics and in the log.
const DIFFUSION: &str = "diffusion";
/// The diffusion model that decides, at OpenRouter.
const MERCURY: &str = "inception/mercury-decide";
const INVALID: &str = "the settings are not valid";

/// The server that stands in for the model in process, if one is set.
pub(super) fn local(config: &Config) -> anyhow::Result<Option<Arc<dyn DecisionBackend>>> {
    let Some(url) = set(&config.local_url) else { return Ok(None) };
    let model = set(&config.local_model).map(str::to_owned);
    let server = SystemOne::new("local", url, set(&config.local_api_key), model, settings(config)?);
    Ok(Some(Arc::new(server.context(INVALID)?)))
}

/// OpenRouter, if there is a key for it.
pub(super) fn openrouter(config: &Config) -> anyhow::Result<Option<Arc<dyn DecisionBackend>>> {
    let Some(key) = set(&config.openrouter_api_key) else { return Ok(None) };
    let model = config.openrouter_model.clone();
    let backend = OpenRouter::new("openrouter", &config.openrouter_url, key, model, settings(config)?);
    Ok(Some(Arc::new(backend.context(INVALID)?)))
}

/// The certainty under which `backend: auto` asks OpenRouter too, if it ever does.
pub(super) fn escalate_below(config: &Config) -> anyhow::Result<Option<f64>> {
    let below = config.escalate_below;
    ensure!((0.0..=1.0).contains(&below), "escalate_below must be from 0 to 1, not {below}");
    Ok((below > 0.0).then_some(below))
}

/// Who is asked about messages whose action is uncertain, if anybody is.
pub(super) fn escalation(config: &Config) -> anyhow::Result<Option<Escalation>> {
    let below = config.text_escalate_below;
    ensure!((0.0..=1.0).contains(&below), "text_escalate_below must be from 0 to 1, not {below}");
    if below == 0.0 {
        return Ok(None);
    }
    let seconds = config.text_escalation_timeout_s;
    ensure!((1..=20).contains(&seconds), "text_escalation_timeout_s must be from 1 to 20, not {seconds}");
    let settings = BackendSettings { timeout: Duration::from_secs(seconds), ..settings(config)? };
    let model = set(&config.diffusion_model);
    let backend: Arc<dyn DecisionBackend> = match set(&config.diffusion_url) {
        Some(url) => {
            let (key, model) = (set(&config.diffusion_api_key), model.map(str::to_owned));
            let server = SystemOne::new(DIFFUSION, url, key, model, settings);
            Arc::new(server.context(INVALID)?)
        }
        None => {
            let key = set(&config.openrouter_api_key);
            let key = key.context("text_escalate_below needs diffusion_url or openrouter_api_key")?;
            let model = model.unwrap_or(MERCURY).to_owned();
            let server = OpenRouter::new(DIFFUSION, &config.openrouter_url, key, model, settings);
            Arc::new(server.context(INVALID)?)
        }
    };
    Ok(Some(Escalation { backend, below }))
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
