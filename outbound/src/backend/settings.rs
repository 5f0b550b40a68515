//! The settings of the servers that answer questions, named as in the settings file.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use domain::operations::inference::NamedBackend;
use ports::{EngineError, decision::DecisionBackend};
use serde::Deserialize;

use super::{
    client::{BackendLimits, Server},
    named::NamedSettings,
    openrouter::OpenRouter,
    system_one::SystemOne,
};

/// The name of the second opinion on messages, in metrics and in the log.
const DIFFUSION: &str = "diffusion";
/// The diffusion model at OpenRouter.
const MERCURY: &str = "inception/mercury-decide";

/// The settings of all servers; `config.default.toml` describes each.
#[derive(Clone, Deserialize)]
pub struct BackendSettings {
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
    backends: BTreeMap<String, NamedSettings>,
}

impl BackendSettings {
    /// The server that replaces the in-process model, if one is set. `with_escalation`: OpenRouter may be asked after
    /// it.
    ///
    /// # Errors
    /// Names the invalid setting.
    pub fn local(&self, with_escalation: bool) -> Result<Option<Arc<dyn DecisionBackend>>, EngineError> {
        let Some(url) = set(&self.local_url) else { return Ok(None) };
        let model = set(&self.local_model).map(str::to_owned);
        let limits = self.limits(with_escalation);
        let key = set(&self.local_api_key);
        let server = Server { backend: "local", settings: "local_", url, key };
        Ok(Some(Arc::new(SystemOne::new(&server, model, limits)?)))
    }

    /// OpenRouter, if its key is set. `with_escalation`: it may be asked after the local server.
    ///
    /// # Errors
    /// Names the invalid setting.
    pub fn openrouter(&self, with_escalation: bool) -> Result<Option<Arc<dyn DecisionBackend>>, EngineError> {
        let Some(key) = set(&self.openrouter_api_key) else { return Ok(None) };
        let model = self.openrouter_model.clone();
        let limits = self.limits(with_escalation);
        let url = &self.openrouter_url;
        let server = Server { backend: "openrouter", settings: "openrouter_", url, key: Some(key) };
        Ok(Some(Arc::new(OpenRouter::new(&server, model, limits)?)))
    }

    /// The diffusion model that gives a second opinion on messages: a System One server, or one at OpenRouter.
    ///
    /// # Errors
    /// Names the invalid setting, or says that neither server is set.
    pub fn diffusion(&self, with_escalation: bool) -> Result<Arc<dyn DecisionBackend>, EngineError> {
        let timeout = self.text_escalation_timeout();
        let limits = BackendLimits { timeout, ..self.limits(with_escalation) };
        let model = set(&self.diffusion_model);
        if let Some(url) = set(&self.diffusion_url) {
            let key = set(&self.diffusion_api_key);
            let model = model.map(str::to_owned);
            let server = Server { backend: DIFFUSION, settings: "diffusion_", url, key };
            return Ok(Arc::new(SystemOne::new(&server, model, limits)?));
        }
        let key = set(&self.openrouter_api_key).ok_or_else(|| {
            EngineError("text_escalate_below requires diffusion_url or openrouter_api_key".to_owned())
        })?;
        let model = model.unwrap_or(MERCURY).to_owned();
        let url = &self.openrouter_url;
        let server = Server { backend: DIFFUSION, settings: "openrouter_", url, key: Some(key) };
        Ok(Arc::new(OpenRouter::new(&server, model, limits)?))
    }

    /// How long the second opinions on the messages of a request may take.
    pub fn text_escalation_timeout(&self) -> Duration {
        Duration::from_secs(self.text_escalation_timeout_s)
    }

    /// The URL of the diffusion model's own server, if there is one.
    pub fn diffusion_url(&self) -> Option<&str> {
        set(&self.diffusion_url)
    }

    /// The backends that the operator has named.
    ///
    /// # Errors
    /// Names the invalid setting.
    pub fn named(&self) -> Result<Vec<NamedBackend>, EngineError> {
        let usual = self.limits(false);
        self.backends.iter().map(|(name, settings)| settings.open(name, &usual)).collect()
    }

    /// The limits of one server. Two servers that are asked in turn get half the time each.
    fn limits(&self, with_escalation: bool) -> BackendLimits {
        // The lease on an Idempotency-Key is 30 s.
        let timeout = Duration::from_secs(self.backend_timeout_s);
        let in_turn = set(&self.local_url).is_some() && with_escalation;
        BackendLimits {
            timeout: timeout / if in_turn { 2 } else { 1 },
            retries: self.backend_retries,
            concurrency: self.backend_concurrency,
            breaker_failures: self.backend_breaker_failures,
            breaker_cool_down: Duration::from_secs(self.backend_breaker_cool_down_s),
        }
    }
}

fn set(value: &str) -> Option<&str> {
    (!value.is_empty()).then_some(value)
}
