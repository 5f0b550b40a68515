//! A System One server of one's own, such as vLLM or llama.cpp with a larger model, in place of the model in process.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::{
    EngineError,
    inference::{Decision, DecisionBackend, DecisionFault, DecisionInput, ModelInfo},
};

use super::{
    client::{BackendSettings, Client, Server},
    wire::Models,
};

const DECIDE_PATH: &str = "/v1/systemone";
const MODELS_PATH: &str = "/v1/models";
/// How long a list of models is believed.
const MODELS_VALID_FOR: Duration = Duration::from_secs(60);
/// What is asked for when the server says nothing of its models and no setting does.
const ANY_MODEL: &str = "auto";

/// A backend at a URL. Cheap to clone.
#[derive(Clone)]
pub struct SystemOne(Arc<Inner>);

struct Inner {
    client: Client,
    model: Option<String>,
    listed: Mutex<Vec<ModelInfo>>,
    /// When it was last asked which models there are; held while it is, so that who needs the answer waits for it.
    last_listed: tokio::sync::Mutex<Option<Instant>>,
}

impl SystemOne {
    /// Connects to nothing yet. `backend` is its name on the wire, and what its settings begin with. Without a `model`,
    /// the first that the server lists is last_listed.
    ///
    /// # Errors
    /// Naming the setting that is wrong.
    pub fn new(
        backend: &'static str,
        url: &str,
        key: Option<&str>,
        model: Option<String>,
        settings: BackendSettings,
    ) -> Result<Self, EngineError> {
        let client = Client::new(&Server { backend, settings: backend, url, key }, settings)?;
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
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks which models there are, unless somebody just did.
    async fn list(&self) {
        let mut last_listed = self.last_listed.lock().await;
        if last_listed.is_some_and(|last_listed| last_listed.elapsed() < MODELS_VALID_FOR) {
            return;
        }
        let answer = self.client.get(MODELS_PATH).await;
        // Only now: one whose asker has gone away in the middle is asked by the next.
        *last_listed = Some(Instant::now());
        let body = match answer {
            Ok(body) => body,
            Err(fault) => return tracing::debug!(fault = fault.label(), "the server's models are not known"),
        };
        match serde_json::from_slice::<Models>(&body) {
            Ok(models) => *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = models.into(),
            Err(error) => tracing::debug!(kind = ?error.classify(), "the server's models are not known"),
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
        // What is known now; the next to ask is told what is found out meanwhile.
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
