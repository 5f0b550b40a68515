//! Why a backend answered, and what each step of a cascade did.

use serde::{Deserialize, Serialize};

/// The reason for the choice of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Routing {
    pub model: String,
    /// The reason, for users.
    pub reason: String,
    /// What each backend did, for a cascade and for the operator's backends; otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<RoutingStep>,
}

/// What one backend did for a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoutingStep {
    /// Its name.
    pub backend: String,
    pub outcome: StepOutcome,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The reason, for users.
    pub reason: String,
    /// The keys of the questions that it was asked.
    pub questions: Vec<String>,
    /// The certainty of its least certain answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<f64>,
    pub latency_ms: f64,
    /// What the step was charged.
    pub credits: f64,
    /// Whether its probabilities were calibrated; none for a backend that is calibrated by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<bool>,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    Answered,
    /// It failed, and cost nothing.
    Failed,
    /// It may not read the content.
    Skipped,
}

impl StepOutcome {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            StepOutcome::Answered => "answered",
            StepOutcome::Failed => "failed",
            StepOutcome::Skipped => "skipped",
        }
    }
}
