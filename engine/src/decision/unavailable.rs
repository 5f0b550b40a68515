//! A stand-in for the decision model when its files are missing. Fails every request with the reason, for the log.

use async_trait::async_trait;
use ports::{
    EngineError,
    decision::{Decision, DecisionBackend, DecisionFault, DecisionInput, ModelInfo},
};

/// A decision backend that always fails.
pub struct UnavailableDecisions {
    /// Why there is no decision model.
    pub why: String,
}

#[async_trait]
impl DecisionBackend for UnavailableDecisions {
    fn name(&self) -> &'static str {
        "local"
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn models(&self) -> Vec<ModelInfo> {
        Vec::new()
    }

    fn takes_any_model(&self) -> bool {
        true
    }

    async fn decide(&self, _: DecisionInput) -> Result<Decision, DecisionFault> {
        Err(DecisionFault::Engine(EngineError(self.why.clone())))
    }

    async fn probe(&self) -> Result<(), EngineError> {
        Err(EngineError(self.why.clone()))
    }
}
