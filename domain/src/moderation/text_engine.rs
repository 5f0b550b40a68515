//! The port to a text moderation model.

use async_trait::async_trait;

use super::{Categories, Mode};
use crate::EngineError;

/// What a text engine reads: the words alone. Who wrote them is the policy's business.
#[derive(Clone, Debug)]
pub struct TextInput {
    /// The message, 1 to 10,000 characters.
    pub content: String,
    /// The pipeline asked for.
    pub mode: Mode,
    /// Whether the caller wants to see which words counted.
    pub explain: bool,
}

/// What a text engine answers for one message.
#[derive(Clone, Debug, PartialEq)]
pub struct TextScores {
    /// Name and version of the model that decided, such as `gavel-text-native-1.0.0`.
    pub model: String,
    /// A calibrated probability for each category.
    pub categories: Categories,
    /// Every domain name found in the message, with its probability of being a scam site.
    pub domains: Vec<DomainScore>,
    /// Why; only if asked to explain.
    pub explanation: Option<TextExplanation>,
}

/// What an engine read and what of it counted.
#[derive(Clone, Debug, PartialEq)]
pub struct TextExplanation {
    /// What the model read after undoing disguises.
    pub normalized_text: String,
    /// The pieces of text that counted most, heaviest first.
    pub evidence: Vec<Evidence>,
}

/// One domain name in a message. `start..end` are byte offsets into the original content.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainScore {
    /// Lower-cased host, without `www.`.
    pub host: String,
    /// Probability of being a scam site, from its letters alone, were half of all sites scams.
    pub scam: f64,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// One piece of text and what it spoke for. `start..end` are byte offsets into the original content.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// `category:feature`, such as `scam:free nitro`.
    pub name: String,
    /// Log-odds it added to that category.
    pub weight: f64,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Why messages were not scored.
#[derive(Debug)]
pub enum TextFault {
    /// More waits than can be scored soon.
    Busy,
    /// The engine's fault; for the log.
    Engine(EngineError),
}

impl From<EngineError> for TextFault {
    fn from(error: EngineError) -> Self {
        TextFault::Engine(error)
    }
}

/// A text moderation model.
#[async_trait]
pub trait TextEngine: Send + Sync + 'static {
    /// Scores each message, in order; the answer for one does not depend on the others.
    async fn score(&self, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault>;
}
