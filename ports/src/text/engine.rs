//! The port to a text moderation model.

use async_trait::async_trait;

use super::{Categories, LexiconHit, TextMode};
use crate::{EngineError, Flow};

/// The input of a text engine: the text alone. The author is up to the policy.
#[derive(Clone, Debug)]
pub struct TextInput {
    /// The message, 1 to 10,000 characters.
    pub content: String,
    /// The requested pipeline.
    pub mode: TextMode,
    /// Whether to return the evidence.
    pub explain: bool,
}

/// The output of a text engine for one message.
#[derive(Clone, Debug, PartialEq)]
pub struct TextScores {
    /// Name and version of the model that decided, such as `gavel-text-native-1.10.0`.
    pub model: String,
    /// A calibrated probability for each category, by the models alone.
    pub categories: Categories,
    /// The entries of the lexicon in the message.
    pub lexicon: Vec<LexiconHit>,
    /// Every domain name found in the message, with its probability of being a scam site.
    pub domains: Vec<DomainScore>,
    /// The evidence; only if `explain` was set.
    pub explanation: Option<TextExplanation>,
}

/// The text that an engine read, and its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct TextExplanation {
    /// The text after undoing disguises.
    pub normalized_text: String,
    /// The detected language, as a BCP 47 tag such as `de`, `hi-Latn` or `und-Cyrl`.
    pub language: &'static str,
    /// The pieces of text with the most weight, heaviest first.
    pub evidence: Vec<Evidence>,
}

/// The score of a domain name in a message. `start..end` are byte offsets into the original content.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainScore {
    /// Lower-cased host, without `www.`.
    pub host: String,
    /// Probability of being a scam site, from its letters alone, at a prior of one half.
    pub scam: f64,
    pub start: usize,
    pub end: usize,
}

/// A piece of text and its weight. `start..end` are byte offsets into the original content.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// `category:feature`, such as `scam:free nitro`.
    pub name: String,
    /// Log-odds that it adds to that category.
    pub weight: f64,
    pub start: usize,
    pub end: usize,
}

/// The reason why messages were not scored.
#[derive(Debug)]
pub enum TextFault {
    /// The queue is too long to score soon.
    Busy,
    /// The engine failed; for the log.
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
    /// Scores each message, in order; the scores of one do not depend on the others. `flow` decides whose turn it is
    /// among waiting requests.
    async fn score(&self, flow: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault>;

    /// Scores a message to see whether the model works. One that is busy works.
    async fn probe(&self) -> Result<(), EngineError> {
        let input =
            TextInput { content: "are you there?".to_owned(), mode: TextMode::Hybrid, explain: false };
        match self.score(Flow::default(), vec![input]).await {
            Ok(scores) if scores.len() == 1 && scores[0].categories.0.iter().all(|p| p.is_finite()) => Ok(()),
            Ok(_) => Err(EngineError("the scores of a message are not numbers".to_owned())),
            Err(TextFault::Busy) => Ok(()),
            Err(TextFault::Engine(error)) => Err(error),
        }
    }
}
