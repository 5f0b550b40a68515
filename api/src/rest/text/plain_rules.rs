//! What was found about the rules in plain language of a message's policy.

use domain::{foundation::round::significant, operations::moderation::RuleAnswer};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether a message breaks a rule in plain language.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlainRuleFound {
    /// The rule's id.
    #[schema(example = "no_trading")]
    pub id: String,
    /// The rule's name, or its text without one.
    #[schema(example = "No trading outside #market")]
    pub name: String,
    /// The probability that the message breaks the rule, 0 to 1.
    pub probability: f64,
    /// Whether the probability reaches the rule's certainty.
    pub broken: bool,
    /// The backend and its model that answered. Absent: the default model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "ollama/qwen3:8b")]
    pub model: Option<String>,
}

impl From<RuleAnswer> for PlainRuleFound {
    fn from(answer: RuleAnswer) -> Self {
        let probability = significant(answer.probability);
        let RuleAnswer { id, name, broken, model, .. } = answer;
        Self { id, name, probability, broken, model }
    }
}
