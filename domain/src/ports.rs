//! The seams: what the domain asks of a model, and nothing of how it answers.

use async_trait::async_trait;

use bytes::Bytes;

use crate::moderation::{Categories, Mode, image::ClassScores};

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

/// A model could not answer. The text is for the log, never for the client.
#[derive(Debug)]
pub struct EngineError(pub String);

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EngineError {}

/// A text moderation model.
#[async_trait]
pub trait TextEngine: Send + Sync + 'static {
    /// Scores each message, in order; the answer for one does not depend on the others.
    async fn score(&self, messages: Vec<TextInput>) -> Result<Vec<TextScores>, EngineError>;
}

/// What an image engine saw in one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageScores {
    /// Name and version of the models and of the runtime that ran them.
    pub model: String,
    /// A probability for each class; they sum to 1.
    pub classes: ClassScores,
    /// The faces that were found, in no order.
    pub faces: Vec<FaceReading>,
}

/// One face.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceReading {
    /// The detector's score for it being a face, 0 to 1.
    pub detection: f64,
    /// What the age model read, in years, from several crops that differ a little. Never empty.
    pub ages: Vec<f64>,
}

/// Why a picture was not scored.
#[derive(Debug)]
pub enum ImageFault {
    /// The picture's own fault; a sentence for the client, such as `the image is truncated`.
    Unreadable(String),
    /// The engine's fault; for the log.
    Engine(EngineError),
}

impl From<EngineError> for ImageFault {
    fn from(error: EngineError) -> Self {
        ImageFault::Engine(error)
    }
}

/// An image moderation model.
#[async_trait]
pub trait ImageEngine: Send + Sync + 'static {
    /// Decodes and scores one picture: the bytes of a JPEG, PNG or WebP file, whatever their sender calls them.
    async fn score(&self, image: Bytes) -> Result<ImageScores, ImageFault>;

    /// Whether it works: runs the models on a small picture of its own.
    async fn probe(&self) -> Result<(), EngineError>;
}
