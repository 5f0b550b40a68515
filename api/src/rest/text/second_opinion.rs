//! What the explanation of a verdict says of a second opinion.

use domain::operations::moderation::SecondOpinion;
use serde::Serialize;
use utoipa::ToSchema;

/// What a backend did that was asked for a second opinion on a message.
#[derive(Debug, Serialize, ToSchema)]
pub struct SecondOpinionSeen {
    /// Its name.
    #[schema(example = "ollama")]
    pub backend: String,
    /// `answered`; `failed`, after which the first verdict stands; or `skipped`, where the API key or its account may
    /// not use it.
    #[schema(example = "answered")]
    pub outcome: &'static str,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// The reason, for a person.
    #[schema(example = "the first verdict was unsure (0.55 of 0.7 needed); the scores are the mean of both")]
    pub reason: String,
}

impl From<SecondOpinion> for SecondOpinionSeen {
    fn from(opinion: SecondOpinion) -> Self {
        let SecondOpinion { backend, outcome, model, reason } = opinion;
        Self { backend, outcome: outcome.as_str(), model, reason }
    }
}
