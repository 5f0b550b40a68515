//! The models that a server lists, read when somebody asks for them and cached.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use ports::{EngineError, decision::ModelInfo};

use super::{client::Client, wire::Models};

/// How long a list of models is cached.
const MODELS_VALID_FOR: Duration = Duration::from_secs(60);
/// The model to request if neither the server nor a setting names one.
const ANY_MODEL: &str = "auto";

/// The paths of a server below its URL.
pub(super) struct Paths {
    /// Where questions go.
    pub(super) ask: &'static str,
    pub(super) models: &'static str,
}

/// The version that all paths begin with.
const VERSION: &str = "/v1";

impl Paths {
    /// The paths below a URL, which may end with the version or not. `ask` has it.
    pub(super) fn below(url: &str, ask: &'static str) -> Self {
        let versioned = url.trim_end_matches('/').ends_with(VERSION);
        let begin = if versioned { VERSION.len() } else { 0 };
        Self { ask: &ask[begin..], models: &"/v1/models"[begin..] }
    }
}

/// The client of a server, and the models that the server lists. Cheap to clone.
#[derive(Clone)]
pub(super) struct Listing(Arc<Inner>);

struct Inner {
    client: Client,
    path: &'static str,
    /// The default; without one, the first that the server lists.
    model: Option<String>,
    listed: Mutex<Vec<ModelInfo>>,
    /// When the models were last listed. Locked during the request, so that concurrent callers wait for its result.
    last_listed: tokio::sync::Mutex<Option<Instant>>,
}

impl Listing {
    /// The models at `path`, with a default.
    pub(super) fn new(client: Client, path: &'static str, model: Option<String>) -> Self {
        let listed = Mutex::default();
        Self(Arc::new(Inner { client, path, model, listed, last_listed: Default::default() }))
    }

    pub(super) fn client(&self) -> &Client {
        &self.0.client
    }

    /// Checks that the server lists its models, or answers without a list.
    pub(super) async fn probe(&self) -> Result<(), EngineError> {
        self.0.client.probe(self.0.path).await
    }

    /// The model that is named in the settings.
    pub(super) fn named_model(&self) -> Option<&str> {
        self.0.model.as_deref()
    }

    /// The model for requests that name none.
    pub(super) async fn default_model(&self) -> String {
        if let Some(model) = &self.0.model {
            return model.clone();
        }
        if self.0.listed().is_empty() {
            self.0.list().await;
        }
        self.0.listed().into_iter().next().map_or_else(|| ANY_MODEL.to_owned(), |first| first.name)
    }

    /// The models of the last list, the default first; starts to list them again if the list is old.
    pub(super) fn models(&self) -> Vec<ModelInfo> {
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
        let answer = self.client.get(self.path).await;
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
