//! The seams: what the domain asks of a model, and nothing of how it answers.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Map, Value};

use crate::{
    inference::{self, Parameters, Question},
    moderation::{Categories, Mode, image::ClassScores},
};

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

/// What a decision backend is asked.
#[derive(Clone, Debug)]
pub struct DecisionInput {
    /// What is decided about: any JSON that says something.
    pub state: Value,
    /// What is asked; at least one.
    pub questions: Arc<[Question]>,
    /// Each question alone, or all together.
    pub mode: inference::Mode,
    /// The exact model; none for the backend's default.
    pub model: Option<String>,
    /// What tunes it. Temperature and abstention are applied to whatever is answered; a backend leaves them alone.
    pub parameters: Parameters,
}

/// What a decision backend answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Name and version of the model that decided, such as `gavel-decision-1.0.0`.
    pub model: String,
    /// By key, in System One's shapes: `{"noul": p}`, `{"choice": c, "probabilities": {..}}`,
    /// `{"probabilities": {"0": p, ..}}` or `{"text": ..}`. Not yet held against the questions.
    pub answers: Map<String, Value>,
    /// What was read and written.
    pub usage: inference::Usage,
    /// What the caller should know of how it was read, such as `the state was read in 3 windows`.
    pub notes: Vec<String>,
}

/// Why a backend did not answer.
#[derive(Debug)]
pub enum DecisionFault {
    /// The request's own fault.
    Invalid {
        /// Path from the body's root.
        field: String,
        /// What is wrong and what is allowed.
        message: String,
    },
    /// More waits than can be answered soon.
    Busy,
    /// The model in process failed; for the log.
    Engine(EngineError),
    /// The server behind the backend failed; for the log.
    Upstream(EngineError),
}

/// A model that can be asked for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// The exact name, with its version.
    pub name: String,
    /// What it is, for a person.
    pub description: String,
    /// The day it was made, as `2026-11-21`; empty when not known.
    pub release_date: String,
}

/// Somebody who answers typed questions.
#[async_trait]
pub trait DecisionBackend: Send + Sync + 'static {
    /// The name on the wire: `local` or `openrouter`.
    fn name(&self) -> &'static str;

    /// Whether a server is asked, over a network, which may take its time and its price.
    fn is_remote(&self) -> bool;

    /// The models it is known to have, its default first.
    fn models(&self) -> Vec<ModelInfo>;

    /// Whether names it is not known to have may be asked for all the same.
    fn takes_any_model(&self) -> bool;

    /// Answers every question, or fails as a whole; within its own deadline.
    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault>;

    /// Whether it works.
    async fn probe(&self) -> Result<(), EngineError>;
}
