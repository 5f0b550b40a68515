//! OpenRouter's Decisions API: System One with a key and a price.

use async_trait::async_trait;
use ports::{
    EngineError,
    decision::{Decision, DecisionBackend, DecisionFault, DecisionInput, ModelInfo, ServerInfo, ServerKind},
};

use super::client::{BackendLimits, Client, Server};

const DECIDE_PATH: &str = "/api/v1/systemone";
/// The free endpoint that describes a key.
const KEY_PATH: &str = "/api/v1/key";

/// The OpenRouter backend.
pub struct OpenRouter {
    client: Client,
    model: String,
}

impl OpenRouter {
    /// Creates a client without connecting.
    ///
    /// # Errors
    /// Names the invalid setting.
    pub(super) fn new(
        server: &Server<'_>,
        model: String,
        limits: BackendLimits,
    ) -> Result<Self, EngineError> {
        Ok(Self { client: Client::new(server, limits)?, model })
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

    fn server(&self) -> Option<ServerInfo> {
        Some(self.client.info(ServerKind::Openrouter))
    }

    fn models(&self) -> Vec<ModelInfo> {
        vec![ModelInfo {
            name: self.model.clone(),
            description: format!(
                "The default of backend {}; any other decision model there may be named.",
                self.client.backend()
            ),
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
