//! The operator's own System One server, such as vLLM or llama.cpp with a larger model.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use parking_lot::Mutex;
use ports::{
    EngineError,
    decision::{Decision, DecisionBackend, DecisionFault, DecisionInput, ModelInfo},
};

use super::{
    client::{BackendLimits, Client, Server},
    wire::Models,
};

const DECIDE_PATH: &str = "/v1/systemone";
const MODELS_PATH: &str = "/v1/models";
/// How long a list of models is cached.
const MODELS_VALID_FOR: Duration = Duration::from_secs(60);
/// The model to request if neither the server nor a setting names one.
const ANY_MODEL: &str = "auto";

/// A System One backend. Cheap to clone.
#[derive(Clone)]
pub struct SystemOne(Arc<Inner>);

struct Inner {
    client: Client,
    model: Option<String>,
    listed: Mutex<Vec<ModelInfo>>,
    /// When the models were last listed. Locked during the request, so that concurrent callers wait for its result.
    last_listed: tokio::sync::Mutex<Option<Instant>>,
}

impl SystemOne {
    /// Creates a client without connecting. `backend` is the name in responses and the prefix of its settings. Without
    /// a `model`, the first one that the server lists is used.
    ///
    /// # Errors
    /// Names the invalid setting.
    pub fn new(
        backend: &'static str,
        url: &str,
        key: Option<&str>,
        model: Option<String>,
        limits: BackendLimits,
    ) -> Result<Self, EngineError> {
        let client = Client::new(&Server { backend, settings: backend, url, key }, limits)?;
        Ok(Self(Arc::new(Inner { client, model, listed: Mutex::default(), last_listed: Default::default() })))
    }

    async fn default_model(&self) -> String {
        if let Some(model) = &self.0.model {
            return model.clone();
        }
        if self.0.listed().is_empty() {
            self.0.list().await;
        }
        self.0.listed().into_iter().next().map_or_else(|| ANY_MODEL.to_owned(), |first| first.name)
    }
}

impl Inner {
    fn listed(&self) -> Vec<ModelInfo> {
        self.listed.lock().clone()
    }

    /// Lists the models, unless the list is recent.
    async fn list(&self) {
        let mut last_listed = self.last_listed.lock().await;
        if last_listed.is_some_and(|last_listed| last_listed.elapsed() < MODELS_VALID_FOR) {
            return;
        }
        let answer = self.client.get(MODELS_PATH).await;
        // Set only now, so that the next caller retries if this request is cancelled.
        *last_listed = Some(Instant::now());
        let body = match answer {
            Ok(body) => body,
            Err(fault) => {
                return tracing::debug!(fault = fault.label(), "could not list the server's models");
            }
        };
        match serde_json::from_slice::<Models>(&body) {
            Ok(models) => *self.listed.lock() = models.into(),
            Err(error) => tracing::debug!(kind = ?error.classify(), "could not list the server's models"),
        }
    }
}

#[async_trait]
impl DecisionBackend for SystemOne {
    fn name(&self) -> &'static str {
        self.0.client.backend()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn models(&self) -> Vec<ModelInfo> {
        // Returns the cached list and refreshes it in the background.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let inner = self.0.clone();
            runtime.spawn(async move { inner.list().await });
        }
        let mut models = self.0.listed();
        if let Some(model) = &self.0.model {
            let own =
                ModelInfo { name: model.clone(), description: String::new(), release_date: String::new() };
            let own =
                models.iter().position(|listed| listed.name == own.name).map_or(own, |at| models.remove(at));
            models.insert(0, own);
        }
        models
    }

    fn takes_any_model(&self) -> bool {
        true
    }

    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault> {
        let model = match &input.model {
            Some(model) => model.clone(),
            None => self.default_model().await,
        };
        self.0.client.decide(DECIDE_PATH, &model, &input).await
    }

    async fn probe(&self) -> Result<(), EngineError> {
        self.0.client.probe(MODELS_PATH).await
    }
}
