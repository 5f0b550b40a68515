//! The port to a backend that answers typed questions: a model in process, or a server.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::IntoStaticStr;

use super::{DecisionMode, Parameters, Question};
use crate::{EngineError, Flow, RequestGroup, id::CheckpointId};

/// The input of a decision backend.
#[derive(Clone, Debug)]
pub struct DecisionInput {
    /// Any non-empty JSON.
    pub state: Value,
    /// The questions; at least one.
    pub questions: Arc<[Question]>,
    /// Whether questions are answered separately or together.
    pub mode: DecisionMode,
    /// The exact model; `None` for the backend's default.
    pub model: Option<String>,
    /// Decides whose turn it is among waiting requests.
    pub flow: Flow,
    /// The request that this is a part of, if that asks about several states.
    pub group: Option<RequestGroup>,
    /// The Checkpoint to answer with; `None` for the base model.
    pub checkpoint: Option<CheckpointRef>,
    /// Temperature and abstention are applied to every backend's answers afterwards; a backend ignores them.
    pub parameters: Parameters,
}

/// A Checkpoint and its artefact.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointRef {
    pub id: CheckpointId,
    /// The SHA-256 of the artefact, in hexadecimal.
    pub sha256: String,
}

/// The port to the artefacts of Checkpoints.
#[async_trait]
pub trait HeadStore: Send + Sync + 'static {
    /// Reads an artefact. The reader verifies its hash.
    ///
    /// # Errors
    /// It does not exist or cannot be read.
    async fn read(&self, sha256: &str) -> Result<Vec<u8>, EngineError>;
}

/// The output of a decision backend.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Name and version of the model that decided, such as `gavel-decision-3.0.0`, and the Checkpoint's id after a `+`.
    pub model: String,
    /// Answers by key, in System One's shapes: `{"noul": p}`, `{"choice": c, "probabilities": {..}}`,
    /// `{"probabilities": {"0": p, ..}}` or `{"text": ..}`. Not yet validated against the questions.
    pub answers: Map<String, Value>,
    pub usage: Usage,
    /// Remarks for the client on how the input was read, such as `the state was read in 3 windows`.
    pub notes: Vec<String>,
}

impl Decision {
    /// Whether the model says that this Checkpoint decided.
    pub fn answered_by(&self, checkpoint: &CheckpointId) -> bool {
        self.model.split_once('+').is_some_and(|(_, id)| id == checkpoint.as_str())
    }
}

/// Token counts and cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens, summed over questions.
    pub input_tokens: u64,
    /// Generated tokens, or answer slots filled.
    pub output_tokens: u64,
    /// The upstream's price in US dollars, when it reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Usage {
    /// Adds two. Without a cost in either, the sum has none.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let costs = self.cost.into_iter().chain(other.cost);
        Self {
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            cost: costs.reduce(|one, other| one + other),
        }
    }
}

/// The reason why a backend did not answer.
#[derive(Debug)]
pub enum DecisionFault {
    /// The request is invalid.
    Invalid {
        /// Path from the body's root.
        field: String,
        /// The error message, with the allowed values.
        message: String,
    },
    /// The queue is too long to answer soon.
    Busy,
    /// The request asks about more states than can be answered in time, even if nothing else is asked.
    TooManyStates {
        /// About how many can.
        fit: usize,
    },
    /// The model in process failed; for the log.
    Engine(EngineError),
    /// The server behind the backend failed; for the log.
    Upstream(EngineError),
    /// The server behind the backend refused the request, or its answer cannot be read: it would do so again; for the
    /// log.
    Refused(EngineError),
    /// The server behind the backend answered something that is no answer; completes the sentence "the backend ..".
    Unusable(String),
    /// The server behind the backend did not answer within this time.
    Slow(Duration),
    /// The server behind the backend failed repeatedly, and is not asked for a while.
    Paused,
}

/// A model that a request can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// The exact name, with its version.
    pub name: String,
    /// A description for users.
    pub description: String,
    /// Release date, as `2026-11-21`; empty when unknown.
    pub release_date: String,
}

/// What a backend's server speaks; the names are those of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ServerKind {
    /// `POST /v1/systemone`.
    SystemOne,
    /// `POST /v1/decisions`.
    OpenaiDecisions,
    /// `POST /v1/chat/completions`, of any LLM.
    OpenaiChat,
    /// OpenRouter's Decisions API.
    Openrouter,
}

/// The server behind a backend, for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    pub kind: ServerKind,
    /// The base URL, without a user or a password.
    pub url: String,
    /// Whether it failed so often that it is not asked for a while.
    pub paused: bool,
}

#[async_trait]
pub trait DecisionBackend: Send + Sync + 'static {
    /// Its name: `local`, `openrouter`, or that of its settings.
    fn name(&self) -> &'static str;

    /// True for a backend that calls a server over the network, which may be slow and may charge.
    fn is_remote(&self) -> bool;

    /// The server that it asks; none for a model in process.
    fn server(&self) -> Option<ServerInfo> {
        None
    }

    /// The known models, the default first.
    fn models(&self) -> Vec<ModelInfo>;

    /// True when requests may name models that the backend does not list.
    fn takes_any_model(&self) -> bool;

    /// Answers every question or fails as a whole, within the backend's own deadline.
    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault>;

    /// Unit vectors of texts: the nearer, the more alike are the texts. `None` from a backend that makes none.
    async fn embed(&self, _flow: Flow, _texts: Vec<String>) -> Result<Option<Vec<Vec<f32>>>, DecisionFault> {
        Ok(None)
    }

    /// Checks that the backend works.
    async fn probe(&self) -> Result<(), EngineError>;
}
