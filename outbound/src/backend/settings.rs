//! Settings of the servers that answer questions, under their names in the settings file.

use std::{sync::Arc, time::Duration};

use domain::{EngineError, inference::DecisionBackend};
use serde::Deserialize;

use super::{BackendSettings, OpenRouter, SystemOne};

/// The name of the second opinion on messages, in metrics and in the log.
const DIFFUSION: &str = "diffusion";
/// The diffusion model at OpenRouter.
const MERCURY: &str = "inception/mercury-decide";

/// The servers' part of the settings; `config.default.toml` says what each means.
#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    local_url: String,
    local_api_key: String,
    local_model: String,
    openrouter_url: String,
    openrouter_api_key: String,
    openrouter_model: String,
    diffusion_url: String,
    diffusion_api_key: String,
    diffusion_model: String,
    text_escalation_timeout_s: u64,
    backend_timeout_s: u64,
    backend_retries: usize,
    backend_concurrency: usize,
    backend_breaker_failures: u32,
    backend_breaker_cool_down_s: u64,
}

impl Settings {
    /// The server that replaces the model in process, if one is set. `with_escalation`: a request may be put to
    /// OpenRouter after it.
    ///
    /// # Errors
    /// Naming the setting that is not valid.
    pub fn local(&self, with_escalation: bool) -> Result<Option<Arc<dyn DecisionBackend>>, EngineError> {
        let Some(url) = set(&self.local_url) else { return Ok(None) };
        let model = set(&self.local_model).map(str::to_owned);
        let limits = self.limits(with_escalation)?;
        Ok(Some(Arc::new(SystemOne::new("local", url, set(&self.local_api_key), model, limits)?)))
    }

    /// OpenRouter, if there is a key for it. `with_escalation`: it may be asked after the local server.
    ///
    /// # Errors
    /// Naming the setting that is not valid.
    pub fn openrouter(&self, with_escalation: bool) -> Result<Option<Arc<dyn DecisionBackend>>, EngineError> {
        let Some(key) = set(&self.openrouter_api_key) else { return Ok(None) };
        let model = self.openrouter_model.clone();
        let limits = self.limits(with_escalation)?;
        Ok(Some(Arc::new(OpenRouter::new("openrouter", &self.openrouter_url, key, model, limits)?)))
    }

    /// The diffusion model that gives a second opinion on messages: a System One server, or one at OpenRouter.
    ///
    /// # Errors
    /// Naming the setting that is not valid, or that neither is set.
    pub fn diffusion(&self, with_escalation: bool) -> Result<Arc<dyn DecisionBackend>, EngineError> {
        let timeout = seconds("text_escalation_timeout_s", self.text_escalation_timeout_s, 20)?;
        let limits = BackendSettings { timeout, ..self.limits(with_escalation)? };
        let model = set(&self.diffusion_model);
        if let Some(url) = set(&self.diffusion_url) {
            let key = set(&self.diffusion_api_key);
            let model = model.map(str::to_owned);
            return Ok(Arc::new(SystemOne::new(DIFFUSION, url, key, model, limits)?));
        }
        let none = || EngineError("text_escalate_below needs diffusion_url or openrouter_api_key".to_owned());
        let key = set(&self.openrouter_api_key).ok_or_else(none)?;
        let model = model.unwrap_or(MERCURY).to_owned();
        Ok(Arc::new(OpenRouter::new(DIFFUSION, &self.openrouter_url, key, model, limits)?))
    }

    /// Half the time for each of two servers that are asked one after the other.
    fn limits(&self, with_escalation: bool) -> Result<BackendSettings, EngineError> {
        // An Idempotency-Key is held for 30 s without a sign of life.
        let timeout = seconds("backend_timeout_s", self.backend_timeout_s, 25)?;
        let in_turn = set(&self.local_url).is_some() && with_escalation;
        Ok(BackendSettings {
            timeout: timeout / if in_turn { 2 } else { 1 },
            retries: self.backend_retries,
            concurrency: self.backend_concurrency,
            breaker_failures: self.backend_breaker_failures,
            breaker_cool_down: Duration::from_secs(self.backend_breaker_cool_down_s),
        })
    }
}

fn set(value: &str) -> Option<&str> {
    (!value.is_empty()).then_some(value)
}

fn seconds(name: &str, seconds: u64, most: u64) -> Result<Duration, EngineError> {
    if !(1..=most).contains(&seconds) {
        return Err(EngineError(format!("{name} must be from 1 to {most}, not {seconds}")));
    }
    Ok(Duration::from_secs(seconds))
}
