//! The backends that answer inferences, and how a request names one.

use std::sync::Arc;

use serde::Serialize;

use ports::decision::DecisionBackend;

/// The backends of inference and the escalation threshold.
#[derive(Clone)]
pub struct Inference {
    /// The model in process, or the server that replaces it.
    pub local: Arc<dyn DecisionBackend>,
    /// OpenRouter, when a key for it is configured.
    pub openrouter: Option<Arc<dyn DecisionBackend>>,
    /// With `backend: auto`, the certainty below which OpenRouter is called too; `None` disables escalation.
    pub escalate_below: Option<f64>,
}

/// The backend that a request names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Backend {
    /// The local backend, then OpenRouter when escalation is on and the local answer is uncertain.
    #[default]
    Auto,
    /// The model in process, or the System One server that replaces it.
    Local,
    /// The Decisions API of OpenRouter.
    Openrouter,
}

impl Backend {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Local => "local",
            Backend::Openrouter => "openrouter",
        }
    }
}
