//! The port to whatever answers typed questions: a model in process, or a server.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::{Mode, Parameters, Question, Usage};
use crate::EngineError;

/// What a decision backend is asked.
#[derive(Clone, Debug)]
pub struct DecisionInput {
    /// What is decided about: any JSON that says something.
    pub state: Value,
    /// What is asked; at least one.
    pub questions: Arc<[Question]>,
    /// Each question alone, or all together.
    pub mode: Mode,
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
    pub usage: Usage,
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

/// Answers typed questions.
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
