//! What was found about a rule in plain language.

use serde::{Deserialize, Serialize};

/// Whether a message breaks a rule in plain language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleAnswer {
    /// The rule's id.
    pub id: String,
    /// The rule's name, or its text without one.
    pub name: String,
    /// The probability that the message breaks it.
    pub probability: f64,
    /// Whether the probability reaches the rule's certainty.
    pub broken: bool,
    /// The backend and its model that answered in place of the model in process, such as `ollama/qwen3:8b`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
