//! The operator's own System One server, such as vLLM or llama.cpp with a larger model.

use async_trait::async_trait;
use ports::{
    EngineError,
    decision::{Decision, DecisionBackend, DecisionFault, DecisionInput, ModelInfo, ServerInfo, ServerKind},
};

use super::{
    client::{BackendLimits, Client, Server},
    listing::Listing,
};

const DECIDE_PATH: &str = "/v1/systemone";
const MODELS_PATH: &str = "/v1/models";

/// A System One backend. Cheap to clone.
#[derive(Clone)]
pub struct SystemOne(Listing);

impl SystemOne {
    /// Creates a client without connecting. Without a `model`, the first one that the server lists is used.
    ///
    /// # Errors
    /// Names the invalid setting.
    pub(super) fn new(
        server: &Server<'_>,
        model: Option<String>,
        limits: BackendLimits,
    ) -> Result<Self, EngineError> {
        Ok(Self(Listing::new(Client::new(server, limits)?, MODELS_PATH, model)))
    }
}

#[async_trait]
impl DecisionBackend for SystemOne {
    fn name(&self) -> &'static str {
        self.0.client().backend()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn server(&self) -> Option<ServerInfo> {
        Some(self.0.client().info(ServerKind::SystemOne))
    }

    fn models(&self) -> Vec<ModelInfo> {
        self.0.models()
    }

    fn takes_any_model(&self) -> bool {
        true
    }

    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault> {
        let model = match &input.model {
            Some(model) => model.clone(),
            None => self.0.default_model().await,
        };
        self.0.client().decide(DECIDE_PATH, &model, &input).await
    }

    async fn probe(&self) -> Result<(), EngineError> {
        self.0.probe().await
    }
}
