//! OpenRouter's Decisions API: System One, with a key, a price and an id for each answer.

use async_trait::async_trait;
use domain::{
    EngineError,
    inference::{Decision, DecisionBackend, DecisionFault, DecisionInput, ModelInfo},
};

use super::client::{BackendSettings, Client, Server};

const DECIDE_PATH: &str = "/api/v1/systemone";
/// Says what a key may do, for nothing.
const KEY_PATH: &str = "/api/v1/key";

/// A backend at OpenRouter.
pub struct OpenRouter {
    client: Client,
    model: String,
}

impl OpenRouter {
    /// Connects to nothing yet. `backend` is its name on the wire; `url` is `https://openrouter.ai`, but in tests.
    ///
    /// # Errors
    /// Naming the setting that is wrong.
    pub fn new(
        backend: &'static str,
        url: &str,
        key: &str,
        model: String,
        settings: BackendSettings,
    ) -> Result<Self, EngineError> {
        let server = Server { backend, settings: "openrouter", url, key: Some(key) };
        Ok(Self { client: Client::new(&server, settings)?, model })
    }
}

#[async_trait]
impl DecisionBackend for OpenRouter {
    fn name(&self) -> &'static str {
        self.client.backend()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn models(&self) -> Vec<ModelInfo> {
        vec![ModelInfo {
            name: self.model.clone(),
            description: "The default of backend openrouter; any other decision model there may be named."
                .to_owned(),
            release_date: String::new(),
        }]
    }

    fn takes_any_model(&self) -> bool {
        true
    }

    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault> {
        let model = input.model.clone().unwrap_or_else(|| self.model.clone());
        self.client.decide(DECIDE_PATH, &model, &input).await
    }

    async fn probe(&self) -> Result<(), EngineError> {
        self.client.probe(KEY_PATH).await
    }
}
